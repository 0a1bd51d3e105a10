import { byteaArray, integerArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { KeyType } from "./api-key.ts";
import { isCurrent, isUsable } from "./api-key-store.ts";
import type { KeyScope } from "./scopes.ts";

/** A key as one of its secrets identifies it. Only `pepperId` and `refusal` ever change. */
export interface StoredKey {
  id: string;
  secretId: string;
  accountId: string;
  type: KeyType;
  scopes: KeyScope[];
  domain: string | null;
  pepperId: string;
  /** Null when the key may be used now. */
  refusal: "revoked" | "expired" | "replaced" | "suspended" | null;
}

/** For each list of HMACs, the key that has one of them. Searches all accounts. Not cached, so a revocation takes effect immediately. */
export async function findKeysByHmacs(db: Queryable, wanted: Buffer[][]): Promise<(StoredKey | undefined)[]> {
  const rows = await db.query<StoredKey & { position: number }>({
    name: "find-keys-by-hmacs",
    text: `
      select given.position, key.*
      from unnest($1::bytea[], $2::integer[]) as given (hmac, position)
      cross join lateral ${indexLookup(`
        select k.id, s.id as "secretId", k.account_id as "accountId", k.type, k.scopes, k.domain, s.pepper_id as "pepperId",
          case
            when k.revoked_at is not null then 'revoked'
            when not (${isUsable("k")}) then 'expired'
            when not ${isCurrent("s")} then 'replaced'
            when a.suspended_at is not null then 'suspended' end as refusal
        from api_key_secrets s
        join api_keys k on k.id = s.key_id
        join accounts a on a.id = k.account_id
        where s.hmac = given.hmac`)} as key`,
    values: [byteaArray(wanted.flat()), integerArray(wanted.flatMap((hmacs, position) => hmacs.map(() => position)))],
  });
  const keys = new Map(rows.map(({ position, ...key }) => [position, key]));
  return wanted.map((_, position) => keys.get(position));
}

export async function findKeyByHmacs(db: Queryable, hmacs: Buffer[]): Promise<StoredKey | undefined> {
  const [key] = await findKeysByHmacs(db, [hmacs]);
  return key;
}

/** For each secret, whether it and its key are usable now and its account is not suspended. Searches all accounts. */
export async function areSecretsUsable(db: Queryable, secretIds: string[]): Promise<boolean[]> {
  const rows = await db.query<{ isUsable: boolean }>({
    name: "are-secrets-usable",
    text: `
      select exists (
        select
        from api_key_secrets s
        join api_keys k on k.id = s.key_id
        join accounts a on a.id = k.account_id
        where s.id = given.id
          and ${isCurrent("s")}
          and ${isUsable("k")}
          and a.suspended_at is null
      ) as "isUsable"
      from unnest($1::uuid[]) with ordinality as given (id)
      order by given.ordinality`,
    values: [uuidArray(secretIds)],
  });
  return rows.map((row) => row.isUsable);
}

/** Re-hashes a secret with the current pepper. The operator can retire the previous pepper once every secret has been used. */
export async function repepperSecret(
  db: Queryable,
  { secretId, pepperId: previousPepperId }: { secretId: string; pepperId: string },
  pepperId: string,
  hmac: Buffer,
): Promise<void> {
  await db.query({
    name: "repepper-secret",
    text: `
      with known as materialized (
        -- First the key, then its secret: processes of the release before lock them in this order.
        select k.id, s.hmac
        from api_key_secrets s
        join api_keys k on k.id = s.key_id
        where s.id = $1
          and s.pepper_id = $2
        for no key update of k
      ), repeppered as (
        update api_key_secrets s
        set pepper_id = $3, hmac = $4
        from known
        where s.id = $1
          and s.pepper_id = $2
        returning s.key_id, known.hmac as previous_hmac
      )
      -- The release before knows the newest secret from here.
      update api_keys k
      set pepper_id = $3, secret_hmac = $4
      from repeppered
      where k.id = repeppered.key_id
        and k.secret_hmac = repeppered.previous_hmac`,
    values: [secretId, previousPepperId, pepperId, hmac],
  });
}
