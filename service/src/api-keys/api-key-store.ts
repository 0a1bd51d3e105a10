import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";
import type { KeyType } from "./api-key.ts";
import type { KeyScope } from "./scopes.ts";

export interface ApiKey {
  id: string;
  name: string;
  type: KeyType;
  keyPrefix: string;
  expiresAt: string | null;
  createdAt: string;
  scopes: KeyScope[];
  /** The only domain that the key may send from; null when it may send from all domains of its account. */
  domain: string | null;
  /** Up to two minutes old. */
  lastUsedAt: string | null;
  /** The user who created the key, also after the user left the account; null when it was created by the command line. */
  createdBy: string | null;
  createdByEmail: string | null;
}

/** SQL: the columns of an `ApiKey`, from the row `k`. */
export function apiKeyColumns(k: string): string {
  return `${k}.id, ${k}.name, ${k}.type, ${k}.key_prefix as "keyPrefix", ${k}.expires_at as "expiresAt", ${k}.created_at as "createdAt",
          ${k}.scopes, ${k}.domain, ${k}.last_used_at as "lastUsedAt",
          ${k}.created_by as "createdBy", ${k}.created_by_email as "createdByEmail"`;
}

/** SQL: what the audit keeps of a row with `apiKeyColumns`. */
export function apiKeyFacts(k: string): Record<string, string> {
  return {
    name: `${k}.name`,
    type: `${k}.type`,
    key_prefix: `${k}."keyPrefix"`,
    scopes: `${k}.scopes`,
    domain: `${k}.domain`,
    expires_at: `${k}."expiresAt"`,
  };
}

interface NewApiKey {
  id: string;
  name: string;
  type: KeyType;
  keyPrefix: string;
  pepperId: string;
  secretHmac: Buffer;
  expiresAt: string | null;
  scopes: readonly KeyScope[];
  domain: string | null;
  createdBy: string | undefined;
}

type KeyDecision =
  | ({ kind: "created" } & ApiKey)
  /** By the database's clock, the clock that also decides expiry later. */
  | { kind: "expired" }
  /** The membership of the maker ended, or lost its role, after the request was authenticated. */
  | { kind: "not-allowed" }
  | { kind: "limit-reached"; limit: number };

/** Locks the membership of the maker before the account, as the removal of an owner does: the count of makers comes first. */
export async function insertApiKey(db: AccountDatabase, key: NewApiKey): Promise<KeyDecision> {
  const [row] = await db.query<KeyDecision>({
    name: "insert-api-key",
    text: `
      with maker as materialized (
        select u.id, coalesce(u.contact_email, u.email) as email
        from memberships m
        join users u on u.id = m.user_id
        where m.account_id = $1
          and m.user_id = $11
          and m.role in ('developer', 'owner')
          and not m.is_closed
        for share of m
      ), decided as materialized (
        select maximum, case
          when $11::uuid is not null and makers = 0 then 'not-allowed'
          when $8::timestamptz <= now() then 'expired'
          when usable >= maximum then 'limit-reached'
          else 'created' end as kind
        from (select count(*) as makers from maker) as counted
        cross join lateral room_for_api_key(case when makers >= 0 then $1::uuid end)
      ), created as (
        insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac, expires_at, scopes, domain,
          created_by, created_by_email)
        select $1, $2, $3, $4, $5, $6, ${hmacForOlderRelease("$7", { scopes: "$9::text[]", domain: "$10::text" })}, $8, $9, $10,
          maker.id, maker.email
        from decided
        left join maker on true
        where kind = 'created'
        returning ${apiKeyColumns("api_keys")}
      ), secret as (
        insert into api_key_secrets (id, key_id, account_id, pepper_id, hmac, key_prefix)
        select id, id, $1, $6, $7, $5
        from created
      ), ${auditEntry({
        action: "api-key.create",
        actor: "$12",
        target: { kind: "api-key", id: "created.id", name: "created.name" },
        after: apiKeyFacts("created"),
        from: "created",
      })}
      select created.*, kind, maximum as limit
      from decided
      left join created on true`,
    values: [
      db.accountId,
      key.id,
      key.name,
      key.type,
      key.keyPrefix,
      key.pepperId,
      key.secretHmac,
      key.expiresAt,
      key.scopes,
      key.domain,
      key.createdBy ?? null,
      JSON.stringify(db.actor),
    ],
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
      select ${apiKeyColumns("k")}
      from api_keys k
      where account_id = $1
        and revoked_at is null
      order by created_at desc, id desc
      limit $2`,
    values: [db.accountId, maxListed],
  });
}

/** Ends all secrets of the key. Returns false when the account has no such key, or the key is already revoked. */
export async function revokeApiKey(db: AccountDatabase, id: string): Promise<boolean> {
  const rows = await db.query({
    name: "revoke-api-key",
    text: `
      with revoked as (
        update api_keys
        set revoked_at = now()
        where account_id = $1
          and id = $2
          and revoked_at is null
        returning ${apiKeyColumns("api_keys")}
      ), ${auditEntry({
        action: "api-key.revoke",
        actor: "$3",
        target: { kind: "api-key", id: "revoked.id", name: "revoked.name" },
        before: apiKeyFacts("revoked"),
        from: "revoked",
      })}
      select id
      from revoked`,
    values: [db.accountId, id, JSON.stringify(db.actor)],
  });
  return rows.length === 1;
}

/**
 * SQL: the key is neither revoked nor expired. Every statement that checks a key uses this rule, and checks its secret and its account
 * too.
 */
export function isUsable(key: string): string {
  return `${key}.revoked_at is null and (${key}.expires_at is null or ${key}.expires_at > now())`;
}

/** SQL: the secret has not ended. A secret ends some time after its key got a newer one. */
export function isCurrent(secret: string): string {
  return `(${secret}.ends_at is null or ${secret}.ends_at > now())`;
}

/** SQL: the id of the secret of the key that has no end. The first one has the id of the key. */
export function newestSecretId(key: string): string {
  return `coalesce(${key}.newest_secret_id, ${key}.id)`;
}

/**
 * SQL: the value of api_keys.secret_hmac, which only processes of the release before read. They know neither scopes nor domains and
 * would let a restricted key send anything, so they get a value that no secret matches, and refuse the key.
 */
export function hmacForOlderRelease(hmac: string, { scopes, domain }: { scopes: string; domain: string }): string {
  return `case when 'send' = any (${scopes}) and ${domain} is null then ${hmac}::bytea else sha256(${hmac}::bytea) end`;
}

/** Counts the usable keys of each pepper. An operator can retire a pepper that has none. */
export async function countKeysByPepper(db: Queryable): Promise<{ pepperId: string; keys: number }[]> {
  return db.query({
    name: "count-keys-by-pepper",
    text: `
      select s.pepper_id as "pepperId", count(distinct k.id) as keys
      from api_key_secrets s
      join api_keys k on k.id = s.key_id
      where ${isUsable("k")}
        and ${isCurrent("s")}
      group by s.pepper_id
      order by s.pepper_id`,
  });
}
