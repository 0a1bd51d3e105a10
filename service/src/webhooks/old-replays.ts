import type { Queryable } from "../db/database.ts";
import { webhookRetentionDays } from "../storage/old-webhooks.ts";

/** Replays are shown as long as their deliveries. Serves all accounts. Returns the number of rows, at most `limit`. */
export async function deleteOldReplays(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "delete-old-webhook-replays",
    text: `
      with old as materialized (
        select id
        from webhook_replays
        where finished_at < now() - make_interval(days => $1)
        order by finished_at
        limit $2
        for update skip locked
      )
      delete from webhook_replays r
      using old
      where r.id = old.id
      returning r.id`,
    values: [webhookRetentionDays, limit],
  });
  return rows.length;
}
