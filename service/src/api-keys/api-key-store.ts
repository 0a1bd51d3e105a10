import { byteaArray, integerArray } from "../db/array-param.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { KeyType } from "./api-key.ts";

export interface ApiKey {
  id: string;
  name: string;
  type: KeyType;
  keyPrefix: string;
  expiresAt: string | null;
  createdAt: string;
}

interface NewApiKey {
  id: string;
  name: string;
  type: KeyType;
  keyPrefix: string;
  pepperId: string;
  secretHmac: Buffer;
  expiresAt: string | null;
}

type KeyDecision =
  | ({ kind: "created" } & ApiKey)
  /** By the database's clock, the clock that also decides expiry later. */
  | { kind: "expired" }
  | { kind: "limit-reached"; limit: number };

export async function insertApiKey(db: AccountDatabase, key: NewApiKey): Promise<KeyDecision> {
  const [row] = await db.query<KeyDecision>({
    name: "insert-api-key",
    text: `
      with decided as materialized (
        select maximum, case
          when $8::timestamptz <= now() then 'expired'
          when usable >= maximum then 'limit-reached'
          else 'created' end as kind
        from room_for_api_key($1)
      ), created as (
        insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac, expires_at)
        select $1, $2, $3, $4, $5, $6, $7, $8
        from decided
        where kind = 'created'
        returning id, name, type, key_prefix as "keyPrefix", expires_at as "expiresAt", created_at as "createdAt"
      )
      select created.*, kind, maximum as limit
      from decided
      left join created on true`,
    values: [db.accountId, key.id, key.name, key.type, key.keyPrefix, key.pepperId, key.secretHmac, key.expiresAt],
  });
  if (row === undefined) throw new Error("the statement decided nothing");
  return row;
}

/** More than an account can have usable. Only expired keys that nobody revokes can exceed it. */
const maxListed = 1_000;

/** The newest keys that are not revoked, newest first; includes expired keys. */
export async function listApiKeys(db: AccountDatabase): Promise<ApiKey[]> {
  return db.query<ApiKey>({
    name: "list-api-keys",
    text: `
      select id, name, type, key_prefix as "keyPrefix", expires_at as "expiresAt", created_at as "createdAt"
      from api_keys
      where account_id = $1
        and revoked_at is null
      order by created_at desc, id desc
      limit $2`,
    values: [db.accountId, maxListed],
  });
}

/** Returns false when the account has no such key, or the key is already revoked. */
export async function revokeApiKey(db: AccountDatabase, id: string): Promise<boolean> {
  const rows = await db.query({
    name: "revoke-api-key",
    text: `
      update api_keys
      set revoked_at = now()
      where account_id = $1
        and id = $2
        and revoked_at is null
      returning id`,
    values: [db.accountId, id],
  });
  return rows.length === 1;
}

/** SQL: the key is neither revoked nor expired. Every statement that checks a key uses this rule and checks its account too. */
export function isUsable(key: string): string {
  return `${key}.revoked_at is null and (${key}.expires_at is null or ${key}.expires_at > now())`;
}

export interface StoredKey {
  id: string;
  accountId: string;
  type: KeyType;
  pepperId: string;
  /** Null when the key may be used now. */
  refusal: "revoked" | "expired" | "suspended" | null;
}

/** For each list of HMACs, the key that has one of them. Searches all accounts. Not cached, so a revocation takes effect immediately. */
export async function findKeysByHmacs(db: Queryable, wanted: Buffer[][]): Promise<(StoredKey | undefined)[]> {
  const rows = await db.query<StoredKey & { position: number }>({
    name: "find-keys-by-hmacs",
    text: `
      select given.position, key.*
      from unnest($1::bytea[], $2::integer[]) as given (hmac, position)
      cross join lateral ${indexLookup(`
        select k.id, k.account_id as "accountId", k.type, k.pepper_id as "pepperId",
          case
            when k.revoked_at is not null then 'revoked'
            when not (${isUsable("k")}) then 'expired'
            when a.suspended_at is not null then 'suspended' end as refusal
        from api_keys k
        join accounts a on a.id = k.account_id
        where k.secret_hmac = given.hmac`)} as key`,
    values: [byteaArray(wanted.flat()), integerArray(wanted.flatMap((hmacs, position) => hmacs.map(() => position)))],
  });
  const keys = new Map(rows.map(({ position, ...key }) => [position, key]));
  return wanted.map((_, position) => keys.get(position));
}

export async function findKeyByHmacs(db: Queryable, hmacs: Buffer[]): Promise<StoredKey | undefined> {
  const [key] = await findKeysByHmacs(db, [hmacs]);
  return key;
}

/** For each HMAC, whether its key is usable now and its account is not suspended. Searches all accounts. */
export async function areKeysUsable(db: Queryable, hmacs: Buffer[]): Promise<boolean[]> {
  const rows = await db.query<{ isUsable: boolean }>({
    name: "are-keys-usable",
    text: `
      select exists (
        select
        from api_keys k
        join accounts a on a.id = k.account_id
        where k.secret_hmac = given.hmac
          and ${isUsable("k")}
          and a.suspended_at is null
      ) as "isUsable"
      from unnest($1::bytea[]) with ordinality as given (hmac)
      order by given.ordinality`,
    values: [hmacs],
  });
  return rows.map((row) => row.isUsable);
}

/** Re-hashes a key with the current pepper. The operator can retire the previous pepper once every key has been used. */
export async function repepperApiKey(
  db: Queryable,
  key: { id: string; pepperId: string },
  pepperId: string,
  secretHmac: Buffer,
): Promise<void> {
  await db.query({
    name: "repepper-api-key",
    text: `
      update api_keys
      set pepper_id = $3, secret_hmac = $4
      where id = $1
        and pepper_id = $2`,
    values: [key.id, key.pepperId, pepperId, secretHmac],
  });
}

/** Counts the usable keys of each pepper. An operator can retire a pepper that has none. */
export async function countKeysByPepper(db: Queryable): Promise<{ pepperId: string; keys: number }[]> {
  return db.query({
    name: "count-keys-by-pepper",
    text: `
      select pepper_id as "pepperId", count(*) as keys
      from api_keys k
      where ${isUsable("k")}
      group by pepper_id
      order by pepper_id`,
  });
}
