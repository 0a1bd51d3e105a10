import type { Queryable } from "../db/database.ts";
import type { Mode } from "./send-request.ts";

const atOnce = 1_000;

/** waiting → ready: sends whose time has come are claimed again in the order they always had. Returns how many. */
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
      )
      update send_queue q
      set state = 'ready', due_at = null
      from due
      where q.id = due.id
      returning q.id`,
    values: [mode, atOnce],
  });
  return rows.length;
}
