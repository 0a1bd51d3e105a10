import { isCurrent, isUsable, newestSecretId } from "../api-keys/api-key-store.ts";
import type { Queryable } from "../db/database.ts";

/** What a proxy compares: the stored prefix without its dots. */
const keyBeginning = (column: string) => `rtrim(${column}, '.')`;

/** SQL: the prefix of the secret `s` of the key `k`; null when older code rolled the key since the secret was made. */
const prefixOfSecret = (s: string, k: string) =>
  `coalesce(${s}.key_prefix, case when ${s}.id = ${newestSecretId(k)} then ${k}.key_prefix end)`;

/** The prefixes of all secrets of the account that work, in the form of moved.map. */
export async function listMovedPrefixes(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.query<{ prefix: string }>({
    name: "list-moved-prefixes",
    text: `
      select distinct ${keyBeginning(prefixOfSecret("s", "k"))} as prefix
      from api_keys k
      join api_key_secrets s on s.key_id = k.id
      where k.account_id = $1
        and ${isUsable("k")}
        and ${isCurrent("s")}
        and ${prefixOfSecret("s", "k")} is not null
      order by prefix`,
    values: [accountId],
  });
  return rows.map(({ prefix }) => prefix);
}

/** A secret that works, but not behind the proxy after a move. */
export interface SecretWithoutPrefix {
  keyId: string;
  keyName: string;
  endsAt: string;
}

/** Code before migration 0091 rolled these keys: the earlier secret works until `endsAt`, and nothing knows how it begins. */
export async function listSecretsWithoutPrefix(db: Queryable, accountId: string): Promise<SecretWithoutPrefix[]> {
  return db.query<SecretWithoutPrefix>({
    name: "list-secrets-without-prefix",
    text: `
      select k.id as "keyId", k.name as "keyName", s.ends_at as "endsAt"
      from api_keys k
      join api_key_secrets s on s.key_id = k.id
      where k.account_id = $1
        and ${isUsable("k")}
        and ${isCurrent("s")}
        and ${prefixOfSecret("s", "k")} is null
      order by s.ends_at, s.id`,
    values: [accountId],
  });
}

export interface SharedPrefix {
  prefix: string;
  /** The key of the account that must be rolled before the move, with overlap 0. */
  keyId: string;
  keyName: string;
}

/** The prefixes of the account that keys of other accounts in this cell have too. A proxy cannot tell such keys apart. */
export async function findSharedPrefixes(db: Queryable, accountId: string): Promise<SharedPrefix[]> {
  return db.query<SharedPrefix>({
    name: "find-shared-prefixes",
    text: `
      with mine as materialized (
        select distinct k.id, k.name, ${prefixOfSecret("s", "k")} as stored
        from api_keys k
        join api_key_secrets s on s.key_id = k.id
        where k.account_id = $1
          and ${isUsable("k")}
          and ${isCurrent("s")}
      )
      select ${keyBeginning("mine.stored")} as prefix, mine.id as "keyId", mine.name as "keyName"
      from mine
      where exists (
        select
        from api_keys other
        join api_key_secrets s on s.key_id = other.id
        where other.account_id <> $1
          and ${isUsable("other")}
          and ${isCurrent("s")}
          and ${prefixOfSecret("s", "other")} = mine.stored
      )
      order by prefix, mine.id`,
    values: [accountId],
  });
}

/** The lines of deploy/cells/moved.map. */
export function movedMapLines(prefixes: string[], backend: string): string[] {
  return prefixes.map((prefix) => `${prefix} ${backend}`);
}
