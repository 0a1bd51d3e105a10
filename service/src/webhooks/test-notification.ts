import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";
import { exampleData } from "./example-data.ts";
import type { NotificationType } from "./notification-types.ts";
import { disabledEndpoint } from "./replay-delivery.ts";

export interface TestDelivery {
  deliveryId: string;
  /** What the receiver sees as `webhook-id`. */
  publicId: string;
}

/** Sends an example of the type to this endpoint alone, also if the endpoint does not want the type. */
export async function sendTestNotification(
  db: AccountDatabase,
  { modes, endpointId }: { modes: readonly Mode[]; endpointId: string },
  type: NotificationType,
): Promise<TestDelivery> {
  const timestamp = new Date().toISOString();
  const envelopeOf = (mode: Mode) =>
    JSON.stringify({ type, timestamp, mode, data: { ...exampleData[type], test: true } });
  const [decision] = await db.query<{ deliveryId: string | null; publicId: string | null }>({
    name: "send-test-notification",
    text: `
      with endpoint as materialized (
        -- Its deletion waits for this statement, and then cancels the delivery.
        select id, url, mode, disabled_at
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
          and listens_until is null
        for key share
      ), made as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope, is_test)
        select given.id, given.id, $1, given.mode, $4, now(), case given.mode when 'live' then $5 else $6 end, true
        from (select new_id_at(now()) as id, mode from endpoint where disabled_at is null offset 0) as given
        returning id, public_id, type
      ), added as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, is_test)
        select new_id_at(now()), $1, endpoint.id, made.id, made.public_id, made.type, true
        from made
        cross join endpoint
        returning id, endpoint_id, notification_id, public_id, type
      ), queued as (
        insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id)
        select id, $1, endpoint_id, notification_id
        from added
      ), ${auditEntry({
        action: "webhook.test",
        actor: "$7",
        target: { kind: "webhook", id: "endpoint.id", name: "endpoint.url" },
        after: { type: "added.type" },
        from: "added cross join endpoint",
      })}
      select added.id as "deliveryId", added.public_id as "publicId"
      from endpoint
      left join added on true`,
    values: [db.accountId, modes, endpointId, type, envelopeOf("live"), envelopeOf("test"), JSON.stringify(db.actor)],
    isPlannedEachTime: true,
  });
  if (decision === undefined) throw noSuchEndpoint();
  const { deliveryId, publicId } = decision;
  if (deliveryId === null || publicId === null) throw disabledEndpoint();
  return { deliveryId, publicId };
}
