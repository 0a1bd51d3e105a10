import { randomUUIDv7 } from "node:crypto";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";
import type { SecretPair } from "../secret.ts";
import { type Endpoint, endpointColumns, endpointDetails, endpointFacts } from "./endpoint.ts";
import { makeEndpointSecret, sealEndpointSecret } from "./endpoint-secret.ts";
import type { NotificationType } from "./notification-types.ts";

export const maxEndpoints = 10;

export interface NewEndpoint {
  mode: Mode;
  url: string;
  description: string | null;
  types: readonly NotificationType[];
}

/** Returns the secret too, which is stored sealed and never shown again. */
export async function createEndpoint(
  db: AccountDatabase,
  contentKeys: SecretPair,
  { mode, url, description, types }: NewEndpoint,
): Promise<Endpoint & { secret: string }> {
  const id = randomUUIDv7();
  const secret = makeEndpointSecret();
  const sealed = sealEndpointSecret(contentKeys, id, secret.bytes);
  const [row] = await db.query<{ createdAt: string }>({
    name: "create-webhook",
    text: `
      with created as (
        insert into webhook_endpoints (account_id, id, mode, url, description, types)
        select $1, $2, $3, $4, $5, $6
        from room_for_webhook($1) as room
        where room.taken < $9
        returning id, mode, url, description, types, created_at, disabled_at
      ), added as (
        insert into webhook_secrets (id, endpoint_id, account_id, sealed)
        select $7, created.id, $1, $8
        from created
      ), ${auditEntry({
        action: "webhook.create",
        actor: "$10",
        target: { kind: "webhook", id: "created.id", name: "created.url" },
        after: endpointFacts("created"),
        from: "created",
      })}
      select created_at as "createdAt"
      from created`,
    values: [
      db.accountId,
      id,
      mode,
      url,
      description,
      types,
      randomUUIDv7(),
      sealed,
      maxEndpoints,
      JSON.stringify(db.actor),
    ],
  });
  if (row === undefined) throw limitReached();
  const { createdAt } = row;
  return {
    id,
    mode,
    url,
    description,
    types: [...types],
    createdAt,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
    secrets: [{ createdAt, expiresAt: null }],
    successRate: null,
    p95Ms: null,
    measured: 0,
    waiting: 0,
    secret: secret.text,
  };
}

/** Oldest first, without listeners (listeners/). An account has few, so the list has no pages. */
export async function listEndpoints(db: AccountDatabase, modes: readonly Mode[]): Promise<Endpoint[]> {
  return db.query<Endpoint>({
    name: "list-webhooks",
    text: `
      select ${endpointColumns("e")}
      from webhook_endpoints e
      ${endpointDetails("e")}
      where e.account_id = $1
        and e.mode = any ($2)
        and e.listens_until is null
      order by e.id`,
    values: [db.accountId, modes],
    isReadInOrder: true,
  });
}

export async function getEndpoint(db: AccountDatabase, modes: readonly Mode[], id: string): Promise<Endpoint> {
  const [endpoint] = await db.query<Endpoint>({
    name: "get-webhook",
    text: `
      select ${endpointColumns("e")}
      from webhook_endpoints e
      ${endpointDetails("e")}
      where e.account_id = $1
        and e.mode = any ($2)
        and e.id = $3
        and e.listens_until is null`,
    values: [db.accountId, modes, id],
    isReadInOrder: true,
  });
  if (endpoint === undefined) throw noSuchEndpoint();
  return endpoint;
}

/** Throws `NOT_FOUND` unless the account has it. Listeners do not count. */
export async function requireEndpoint(db: AccountDatabase, modes: readonly Mode[], id: string): Promise<void> {
  const rows = await db.query({
    name: "require-webhook",
    text: `
      select id
      from webhook_endpoints
      where account_id = $1
        and mode = any ($2)
        and id = $3
        and listens_until is null`,
    values: [db.accountId, modes, id],
  });
  if (rows.length === 0) throw noSuchEndpoint();
}

export function noSuchEndpoint(): AppError {
  return new AppError("NOT_FOUND", "This account has no webhook with this id.");
}

export function limitReached(): AppError {
  const message = `This account has reached its limit of ${maxEndpoints} webhooks. Delete one that it no longer needs.`;
  return new AppError("VALIDATION_ERROR", message, { details: [{ field: "body", code: "invalid", message }] });
}
