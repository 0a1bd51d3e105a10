import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import { webhookRetentionDays } from "../storage/old-webhooks.ts";

/**
 * pending or paused → failed, once the delivery is as old as deliveries are kept. Most are of endpoints that stay disabled; their rows
 * would keep all records of that week. Serves all accounts. Returns the number of deliveries, at most `limit`.
 */
export async function failOldDeliveries(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "fail-old-webhook-deliveries",
    text: `
      with old as materialized (
        select delivery_id
        from webhook_queue
        where delivery_id < first_id_at(now() - make_interval(days => $1))
          and state <> 'delivering'
        order by delivery_id
        limit $2
        for update skip locked
      ), finished as (
        update webhook_deliveries d
        set state = 'failed', finished_at = now()
        from old
        where ${equalByIndex("d.id", "old.delivery_id")}
          and d.state = 'pending'
      )
      delete from webhook_queue q
      using old
      where ${equalByIndex("q.delivery_id", "old.delivery_id")}
      returning q.delivery_id`,
    values: [webhookRetentionDays, limit],
    changesSends: true,
  });
  return rows.length;
}
