import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { uncountColumns, uncountQueued } from "./queued-recipients.ts";

const batchSize = 1_000;

/**
 * waiting → ready: due sends keep their position in the queue. A send that evidence settled while an operator retried it
 * (`retryFailed`) leaves the queue instead, because its mail went out. Serves all accounts. Returns the number of ready sends.
 */
export async function promoteDueSends(db: Queryable, mode: Mode): Promise<number> {
  const rows = await db.query({
    name: "promote-due-sends",
    text: `
      with due as materialized (
        select id
        from send_queue
        where mode = $1 and state = 'waiting' and due_at <= now()
        order by due_at
        limit $2
        for update skip locked
      ), settled as materialized (
        select due.id
        from due
        cross join lateral ${indexLookup(`
          select
          from sends s
          where s.id = due.id and s.status <> 'queued'`)} as record
      ), gone as (
        delete from send_queue q
        using settled
        where ${equalByIndex("q.id", "settled.id")}
        returning ${uncountColumns}
      ), uncounted as (${uncountQueued("gone")}
      )
      update send_queue q
      set state = 'ready', due_at = null
      from due
      where ${equalByIndex("q.id", "due.id")}
        and q.id not in (select id from settled)
      returning q.id`,
    values: [mode, batchSize],
  });
  return rows.length;
}
