import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Database, Queryable } from "../src/db/database.ts";
import type { Mode } from "../src/mode.ts";
import { sealEndpointSecret } from "../src/webhooks/endpoint-secret.ts";
import { type NotificationType, notificationTypes } from "../src/webhooks/notification-types.ts";
import { anAccount } from "./builders.ts";
import { testContentKeys } from "./send-builders.ts";

interface Endpoint {
  accountId: string;
  mode?: Mode;
  types?: readonly NotificationType[];
  url?: string;
}

/** An enabled endpoint for every type. Returns its id. */
export async function anEndpoint(db: Queryable, { accountId, mode = "live", types, url }: Endpoint): Promise<string> {
  const id = randomUUIDv7();
  await db.query({
    name: "an-endpoint",
    text: `
      insert into webhook_endpoints (id, account_id, mode, url, types)
      values ($1, $2, $3, $4, $5)`,
    values: [id, accountId, mode, url ?? `https://${id}.example.com/hooks`, types ?? notificationTypes],
  });
  return id;
}

/** An endpoint with a secret. Returns its id. */
export async function aWebhook(db: Queryable, endpoint: Endpoint): Promise<string> {
  const id = await anEndpoint(db, endpoint);
  await db.query({
    name: "a-webhook-secret",
    text: "insert into webhook_secrets (id, endpoint_id, account_id, sealed) values ($1, $2, $3, $4)",
    values: [randomUUIDv7(), id, endpoint.accountId, sealEndpointSecret(testContentKeys, id, randomBytes(32))],
  });
  return id;
}

/** A listener for every type. A negative time makes it expired. */
export async function aListener(
  db: Database,
  { accountId, mode = "live", seconds = 60 }: { accountId?: string; mode?: Mode; seconds?: number } = {},
): Promise<{ id: string; accountId: string }> {
  const ownerId = accountId ?? (await anAccount(db));
  const id = await anEndpoint(db, { accountId: ownerId, mode, url: "postern listen" });
  await db.query({
    name: "a-listener",
    text: "update webhook_endpoints set listens_until = now() + make_interval(secs => $2) where id = $1",
    values: [id, seconds],
  });
  return { id, accountId: ownerId };
}

interface DeliveryOptions {
  accountId: string;
  endpointId: string;
  /** Those that did not end are in the queue. */
  state?: "pending" | "delivering" | "paused" | "delivered" | "failed" | "cancelled";
  type?: NotificationType;
  /** Null when the body is no longer stored. */
  envelope?: string | null;
  hoursAgo?: number;
  durationMs?: number | null;
  /** That the notification is about. */
  sendId?: string | null;
  /** Failed attempts of one that is pending. */
  attempts?: number;
}

export async function aDelivery(db: Queryable, options: DeliveryOptions): Promise<string> {
  const {
    accountId,
    endpointId,
    state = "delivered",
    type = "send.bounced",
    hoursAgo = 0,
    durationMs = null,
    sendId = null,
    attempts = 0,
  } = options;
  const { envelope = JSON.stringify({ type }) } = options;
  const [row] = await db.query<{ id: string }>({
    name: "a-delivery",
    text: `
      with given as (
        select new_id_at(now() - make_interval(hours => $5)) as id, new_id_at(now()) as notification_id,
          $3 in ('delivered', 'failed', 'cancelled') as is_final
      ), notified as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope, send_id)
        select notification_id, notification_id, $1, 'live', $4, now(), $6, $8
        from given
        where $6::text is not null
      ), queued as (
        insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, state, attempt, due_at)
        select id, $1, $2, notification_id, $3, $9::integer, now() + $9::integer * interval '1 hour'
        from given
        where not is_final
      )
      insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, state, finished_at, duration_ms, send_id)
      select id, $1, $2, notification_id, notification_id, $4, case when is_final then $3 else 'pending' end,
        case when is_final then now() end, $7, $8
      from given
      returning id`,
    values: [accountId, endpointId, state, type, hoursAgo, envelope, durationMs, sendId, attempts],
  });
  if (row === undefined) throw new Error("the delivery was not stored");
  return row.id;
}

/** A running replay of the last day. */
export async function aReplay(
  db: Queryable,
  { accountId, endpointId }: { accountId: string; endpointId: string },
): Promise<string> {
  const id = randomUUIDv7();
  await db.query({
    name: "a-replay",
    text: `
      insert into webhook_replays (id, account_id, endpoint_id, types, from_at, to_at, position, due_at)
      select $1, $2, $3, '{send.bounced}', now() - interval '1 day', now(), first_id_at(now() - interval '1 day'), now()`,
    values: [id, accountId, endpointId],
  });
  return id;
}

export interface StoredNotification {
  type: string;
  publicId: string;
  sequence: number | null;
  sendStatus: string | null;
  facts: Record<string, unknown> | null;
  envelope: string | null;
}

/** The notifications of the account, oldest first. */
export function notificationsOf(db: Queryable, accountId: string): Promise<StoredNotification[]> {
  return db.query<StoredNotification>({
    name: "notifications-of",
    text: `
      select type, public_id as "publicId", sequence, send_status as "sendStatus", facts, envelope
      from notifications
      where account_id = $1
      order by sequence, id`,
    values: [accountId],
  });
}
