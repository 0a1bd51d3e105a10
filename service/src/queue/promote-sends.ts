import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";

const atOnce = 1_000;

/**
 * waiting → ready: sends whose time has come are claimed again in the order they always had. One that evidence has settled
 * while an operator put it back (`retryFailed`) leaves the queue instead: its mail is out. Returns how many are ready.
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
        cross join lateral (
          select
          from sends s
          where s.id = due.id and s.status <> 'queued'
          offset 0
        ) as record
      ), gone as (
        delete from send_queue q
        using settled
        where q.id between settled.id and settled.id
      )
      update send_queue q
      set state = 'ready', due_at = null
      from due
      where q.id between due.id and due.id
        and q.id not in (select id from settled)
      returning q.id`,
    values: [mode, atOnce],
  });
  return rows.length;
}
