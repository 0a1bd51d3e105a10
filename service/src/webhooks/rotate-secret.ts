import { randomUUIDv7 } from "node:crypto";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";
import type { SecretPair } from "../secret.ts";
import { makeEndpointSecret, sealEndpointSecret } from "./endpoint-secret.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";

/** Long enough to deploy the new secret without haste. After a leak the caller chooses 0. */
export const defaultOverlapSeconds = 24 * 3600;
export const maxOverlapSeconds = 7 * 24 * 3600;

/** Beside the newest one. Each adds a signature to every attempt. */
const maxOldSecrets = 2;

/** Of rotations of one endpoint at the same time, one succeeds per round. */
const maxTries = 8;

interface Rotation {
  overlapSeconds: number;
}

interface Rotated {
  secret: string;
  /** When the secrets before the new one end at the latest. */
  previousEndsAt: string;
}

/** Returns the new secret, which is stored sealed and never shown again. */
export async function rotateSecret(
  db: AccountDatabase,
  contentKeys: SecretPair,
  { modes, id }: { modes: readonly Mode[]; id: string },
  { overlapSeconds }: Rotation,
): Promise<Rotated> {
  const secret = makeEndpointSecret();
  const sealed = sealEndpointSecret(contentKeys, id, secret.bytes);
  for (let tries = 1; tries <= maxTries; tries++) {
    const decision = await insertNewest(db, { modes, id }, { sealed, overlapSeconds });
    if (decision === undefined) throw noSuchEndpoint();
    if (decision.isFull) throw tooManySecrets();
    if (decision.previousEndsAt !== null) return { secret: secret.text, previousEndsAt: decision.previousEndsAt };
  }
  throw new AppError("UNAVAILABLE", "Other requests are rotating this secret. Try again shortly.", {
    retryAfterSeconds: 1,
  });
}

/** `previousEndsAt` is null when another rotation ran at the same time: this statement did not see its secret, so it changed nothing. */
async function insertNewest(
  db: AccountDatabase,
  { modes, id }: { modes: readonly Mode[]; id: string },
  { sealed, overlapSeconds }: { sealed: Buffer; overlapSeconds: number },
): Promise<{ isFull: boolean; previousEndsAt: string | null } | undefined> {
  const [row] = await db.query<{ isFull: boolean; previousEndsAt: string | null }>({
    name: "rotate-webhook-secret",
    text: `
      with endpoint as materialized (
        select id, url
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
          and listens_until is null
        for no key update
      ), decided as materialized (
        select endpoint.id, endpoint.url, $6::integer > 0 and (
          select count(*) from webhook_secrets s where s.account_id = $1 and s.endpoint_id = endpoint.id and s.expires_at > now()
        ) >= $7 as is_full
        from endpoint
      ), ended as (
        update webhook_secrets s
        set expires_at = now() + make_interval(secs => $6)
        from decided
        where s.account_id = $1
          and s.endpoint_id = decided.id
          and s.expires_at is null
          and not decided.is_full
        returning s.endpoint_id, s.expires_at
      ), ended_sooner as (
        update webhook_secrets s
        set expires_at = ended.expires_at
        from ended
        where s.account_id = $1
          and s.endpoint_id = ended.endpoint_id
          and s.expires_at > ended.expires_at
      ), forgotten as (
        delete from webhook_secrets s
        using ended
        where s.account_id = $1
          and s.endpoint_id = ended.endpoint_id
          and s.expires_at <= now()
      ), added as (
        insert into webhook_secrets (id, endpoint_id, account_id, sealed)
        select $4, ended.endpoint_id, $1, $5
        from ended
      ), ${auditEntry({
        action: "webhook.rotate",
        actor: "$8",
        target: { kind: "webhook", id: "decided.id", name: "decided.url" },
        after: { previous_secrets_end_at: "ended.expires_at" },
        from: "decided join ended on ended.endpoint_id = decided.id",
      })}
      select decided.is_full as "isFull", ended.expires_at as "previousEndsAt"
      from decided
      left join ended on true`,
    values: [db.accountId, modes, id, randomUUIDv7(), sealed, overlapSeconds, maxOldSecrets, JSON.stringify(db.actor)],
  });
  return row;
}

function tooManySecrets(): AppError {
  const message =
    `This webhook already has ${maxOldSecrets} earlier secrets that still sign. Wait until one ends, or set overlap_seconds to 0, ` +
    "which ends all of them now";
  return new AppError("VALIDATION_ERROR", `${message}.`, {
    details: [{ field: "overlap_seconds", code: "invalid", message }],
  });
}
