import type { Database } from "../../src/db/database.ts";

interface Backlog {
  accountId: string;
  endpointId: string;
  count: number;
}

const rowsPerStatement = 5_000;

/** Deliveries that have been due for a while, as they are after an outage of the receiver. */
export async function storeBacklog(db: Database, { count, ...backlog }: Backlog): Promise<void> {
  for (let left = count; left > 0; left -= rowsPerStatement)
    await storeDeliveries(db, { ...backlog, count: Math.min(left, rowsPerStatement) });
}

async function storeDeliveries(db: Database, { accountId, endpointId, count }: Backlog): Promise<void> {
  await db.query({
    name: "store-webhook-backlog",
    text: `
      with made as materialized (
        select new_id_at(now()) as notification_id, new_id_at(now()) as delivery_id, gen_random_uuid() as public_id
        from generate_series(1, $3::integer)
      ), notified as (
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
        select notification_id, public_id, $1, 'live', 'send.sent', now(), '{"type":"send.sent"}'
        from made
      ), stored as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type)
        select delivery_id, $1, $2, notification_id, public_id, 'send.sent'
        from made
      )
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, due_at)
      select delivery_id, $1, $2, notification_id, now() - interval '1 minute'
      from made`,
    values: [accountId, endpointId, count],
  });
}

export async function countQueued(db: Database, endpointId: string): Promise<number> {
  const [row] = await db.query<{ left: number }>({
    name: "count-queued-webhooks",
    text: "select count(*) as left from webhook_queue where endpoint_id = $1",
    values: [endpointId],
  });
  return row?.left ?? Number.NaN;
}
