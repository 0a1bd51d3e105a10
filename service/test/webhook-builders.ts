import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import type { Mode } from "../src/mode.ts";
import { type NotificationType, notificationTypes } from "../src/webhooks/notification-types.ts";

interface WebhookOptions {
  accountId: string;
  mode?: Mode;
  url?: string;
  types?: readonly NotificationType[];
}

/** An enabled endpoint. Its secret cannot be opened. */
export async function aWebhook(db: Database, options: WebhookOptions): Promise<string> {
  const { accountId, mode = "live", url = "https://hooks.example.com/postern", types = notificationTypes } = options;
  const id = randomUUIDv7();
  await db.query({
    name: "a-webhook",
    text: `
      with added as (
        insert into webhook_endpoints (id, account_id, mode, url, types) values ($1, $2, $3, $4, $5)
      )
      insert into webhook_secrets (id, endpoint_id, account_id, sealed) values ($6, $1, $2, $7)`,
    values: [id, accountId, mode, url, types, randomUUIDv7(), randomBytes(64)],
  });
  return id;
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
}

export async function aDelivery(db: Database, options: DeliveryOptions): Promise<string> {
  const { accountId, endpointId, state = "delivered", type = "send.bounced", hoursAgo = 0, durationMs = null } = options;
  const { envelope = JSON.stringify({ type }) } = options;
  const [row] = await db.query<{ id: string }>({
    name: "a-delivery",
    text: `
      with given as (
        select new_id_at(now() - make_interval(hours => $5)) as id, new_id_at(now()) as notification_id,
          $3 in ('delivered', 'failed', 'cancelled') as is_final
      ), notified as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
        select notification_id, notification_id, $1, 'live', $4, now(), $6
        from given
        where $6::text is not null
      ), queued as (
        insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, state)
        select id, $1, $2, notification_id, $3
        from given
        where not is_final
      )
      insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, state, finished_at, duration_ms)
      select id, $1, $2, notification_id, notification_id, $4, case when is_final then $3 else 'pending' end,
        case when is_final then now() end, $7
      from given
      returning id`,
    values: [accountId, endpointId, state, type, hoursAgo, envelope, durationMs],
  });
  if (row === undefined) throw new Error("the delivery was not stored");
  return row.id;
}
