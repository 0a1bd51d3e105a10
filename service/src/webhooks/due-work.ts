import type { Queryable } from "../db/database.ts";
import { isNew } from "./take-new-notifications.ts";

/** What the loops of webhooks have to do. Each looks again for its rows, so a wrong `true` costs statements and does nothing. */
export interface DueWork {
  /** There are notifications without deliveries. */
  fanOut: boolean;
  /** There are deliveries that wait for an attempt, now or later. */
  claim: boolean;
  /** A step of the replay of a range. */
  replay: boolean;
}

/** Looks for all work of the loops with one statement: almost always there is none, and their own statements are eleven. */
export async function findDueWork(db: Queryable): Promise<DueWork> {
  const [row] = await db.query<DueWork>({
    name: "find-due-webhook-work",
    text: `
      select
        coalesce((select true from notifications n where ${isNew} order by n.account_id limit 1), false) as "fanOut",
        coalesce((select true from webhook_queue where state = 'pending' order by endpoint_id limit 1), false) as claim,
        coalesce((
          select true
          from webhook_replays
          where state = 'running' and due_at <= now() and account_id not in (select account_id from moving_accounts)
          order by due_at
          limit 1
        ), false) as replay`,
  });
  return row ?? { fanOut: false, claim: false, replay: false };
}
