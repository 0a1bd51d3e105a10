import { randomUUIDv7 } from "node:crypto";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { apiKeyHmac, type KeyType } from "./api-key.ts";
import { type ApiKey, apiKeyColumns, hmacForOlderRelease, isCurrent, isUsable } from "./api-key-store.ts";
import type { ApiKeyIssuer } from "./create-api-key.ts";
import { newApiKey } from "./new-api-key.ts";

/** Long enough to deploy the new secret without haste. After a leak the caller chooses 0. */
export const defaultOverlapSeconds = 24 * 3600;
export const maxOverlapSeconds = 7 * 24 * 3600;

/** A roll that is repeated many times leaves only so many secrets that work, and only so many rows of those that do not. */
const maxCurrentSecrets = 5;
const maxEndedSecrets = 10;

/** Of rolls of one key at the same time, one succeeds per round. */
const maxTries = 8;

interface Rolled extends ApiKey {
  key: string;
  /** When the secrets before the new one end at the latest. */
  previousEndsAt: string;
}

/** Returns the new secret, which is not stored and cannot be shown again. Scopes, domain and expiry of the key stay. */
export async function rollApiKey(
  db: AccountDatabase,
  issuer: ApiKeyIssuer,
  { id, overlapSeconds, rolledBy }: { id: string; overlapSeconds: number; rolledBy?: string | undefined },
): Promise<Rolled> {
  const type = await findKeyType(db, id);
  if (type === undefined) throw noSuchKey();
  const { key, keyPrefix } = await newApiKey(db, type, issuer.cellCode);
  const hmac = apiKeyHmac(issuer.pepper.key, key);
  const secret = { id: randomUUIDv7(), keyPrefix, pepperId: issuer.pepper.id, hmac };
  for (let tries = 1; tries <= maxTries; tries++) {
    const decision = await insertNewestSecret(db, id, secret, { overlapSeconds, rolledBy });
    if (decision === undefined) continue;
    switch (decision.kind) {
      case "rolled": {
        const { kind: _kind, ...rolled } = decision;
        return { ...rolled, key };
      }
      case "not-allowed":
        throw new AppError("FORBIDDEN", "This needs the role developer, and you no longer have it in this account.");
      case "not-found":
        throw noSuchKey();
      case "limit-reached":
        throw limitReached();
    }
  }
  throw new AppError("UNAVAILABLE", "The key is being rolled by other requests. Try again shortly.", {
    retryAfterSeconds: 1,
  });
}

async function findKeyType(db: AccountDatabase, id: string): Promise<KeyType | undefined> {
  const [key] = await db.query<{ type: KeyType }>({
    name: "find-key-type",
    text: `
      select k.type
      from api_keys k
      where k.account_id = $1
        and k.id = $2
        and ${isUsable("k")}`,
    values: [db.accountId, id],
  });
  return key?.type;
}

interface NewSecret {
  id: string;
  keyPrefix: string;
  pepperId: string;
  hmac: Buffer;
}

type RollDecision =
  | ({ kind: "rolled" } & Omit<Rolled, "key">)
  /** The membership of the user ended, or lost its role, after the request was authenticated. */
  | { kind: "not-allowed" }
  /** The account has no such key, or the key is revoked or expired. */
  | { kind: "not-found" }
  | { kind: "limit-reached" };

/**
 * Gives the key a new secret. Those before it end after the overlap, or at their own end if it is earlier. Undefined when another roll of
 * the same key ran at the same time: this statement did not see its secret, so it changed nothing.
 */
async function insertNewestSecret(
  db: AccountDatabase,
  keyId: string,
  secret: NewSecret,
  { overlapSeconds, rolledBy }: { overlapSeconds: number; rolledBy: string | undefined },
): Promise<RollDecision | undefined> {
  const [row] = await db.query<RollDecision>({
    name: "roll-api-key",
    text: `
      with member as materialized (
        select m.user_id
        from memberships m
        where m.account_id = $1
          and m.user_id = $10
          and m.role in ('developer', 'owner')
          and not m.is_closed
        for share
      ), allowed as materialized (
        select $10::uuid is null or exists (select from member) as is_allowed
      ), key as materialized (
        select k.id, k.key_prefix
        from api_keys k
        where k.account_id = $1
          and k.id = $2
          and (select is_allowed from allowed)
          and ${isUsable("k")}
        for no key update
      ), decided as materialized (
        select id, case when $7::integer > 0 and (
          select count(*) from api_key_secrets s where s.key_id = key.id and ${isCurrent("s")}
        ) >= $8 then 'limit-reached' else 'rolled' end as kind
        from key
      ), ended as (
        update api_key_secrets s
        set ends_at = now() + make_interval(secs => $7), key_prefix = key.key_prefix
        from decided
        cross join key
        where decided.kind = 'rolled'
          and s.key_id = decided.id
          and s.ends_at is null
        returning s.key_id, s.ends_at
      ), ended_sooner as (
        update api_key_secrets s
        set ends_at = ended.ends_at
        from ended
        where s.key_id = ended.key_id
          and s.ends_at > ended.ends_at
      ), forgotten as (
        delete from api_key_secrets s
        using ended
        where s.key_id = ended.key_id
          and s.id in (
            select old.id
            from api_key_secrets old
            where old.key_id = $2
              and old.ends_at <= now()
            order by old.ends_at desc
            offset $9
          )
      ), rolled as (
        update api_keys k
        set newest_secret_id = $3, key_prefix = $4, pepper_id = $5, secret_hmac = ${hmacForOlderRelease("$6", { scopes: "k.scopes", domain: "k.domain" })}
        from ended
        where k.id = ended.key_id
        returning ${apiKeyColumns("k")}
      ), created as (
        insert into api_key_secrets (id, key_id, account_id, pepper_id, hmac, key_prefix)
        select $3, rolled.id, $1, $5, $6, $4
        from rolled
        returning key_id
      ), ${auditEntry({
        action: "api-key.roll",
        actor: "$11",
        target: { kind: "api-key", id: "rolled.id", name: "rolled.name" },
        before: { key_prefix: "key.key_prefix" },
        after: { key_prefix: 'rolled."keyPrefix"', previous_secrets_end_at: "ended.ends_at" },
        from: "created join rolled on rolled.id = created.key_id cross join key cross join ended",
      })}
      select case when is_allowed then coalesce(decided.kind, 'not-found') else 'not-allowed' end as kind, rolled.*,
        ended.ends_at as "previousEndsAt"
      from allowed
      left join decided on true
      left join ended on true
      left join rolled on true
      left join created on true
      where decided.kind is null or decided.kind = 'limit-reached' or created.key_id is not null`,
    values: [
      db.accountId,
      keyId,
      secret.id,
      secret.keyPrefix,
      secret.pepperId,
      secret.hmac,
      overlapSeconds,
      maxCurrentSecrets,
      maxEndedSecrets,
      rolledBy ?? null,
      JSON.stringify(db.actor),
    ],
  });
  return row;
}

function noSuchKey(): AppError {
  return new AppError("NOT_FOUND", "This account has no usable API key with this id.");
}

function limitReached(): AppError {
  const message =
    `This key already has ${maxCurrentSecrets} secrets that work. Wait until one ends, or set overlap_seconds to 0, ` +
    "which ends all of them now";
  return new AppError("VALIDATION_ERROR", `${message}.`, {
    details: [{ field: "overlap_seconds", code: "invalid", message }],
  });
}
