import { uuidArray } from "../db/array-param.ts";
import type { Transaction } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import type { FoundRow, RunningReplay } from "./replay-range.ts";

/**
 * The next deliveries of the range, and which of them did not arrive:
 *
 * 1. All attempts failed, and no later delivery of the same notification is on its way, was answered with 2xx or is in the range itself.
 * 2. An attempt failed, and the next one is not due yet.
 */
export function readFailedDeliveries(
  tx: Transaction,
  _mode: Mode,
  replay: RunningReplay,
  limit: number,
): Promise<FoundRow[]> {
  return tx.query<FoundRow>({
    name: "read-failed-deliveries",
    text: `
      select d.id, d.notification_id as "notificationId",
        case
          when d.type <> all ($6) or d.is_test then 'skip'
          when q.delivery_id is not null then 'retry'
          when d.state <> 'failed' or n.id is null or later.id is not null then 'skip'
          -- Without a send no index finds its replays.
          when d.is_replay and d.send_id is null then 'skip'
          else 'stored'
        end as kind
      from (
        select id, type, state, is_test, is_replay, notification_id, public_id, send_id
        from webhook_deliveries
        where account_id = $1
          and endpoint_id = $2
          and id > $3
          and id < first_id_at($4)
        order by id
        limit $5
      ) as d
      left join lateral ${indexLookup(`
        select queued.delivery_id
        from webhook_queue queued
        where queued.delivery_id = d.id
          and queued.state || '' = 'pending'
          and queued.attempt > 0
          and d.state = 'pending'`)} as q on true
      left join lateral ${indexLookup(`
        select notifications.id
        from notifications
        where notifications.account_id = $1
          and notifications.id = d.notification_id
          and notifications.envelope is not null
          and d.state = 'failed'`)} as n on true
      left join lateral ${indexLookup(`
        select r.id
        from webhook_deliveries r
        where r.account_id = $1
          and r.send_id = d.send_id
          and r.id > d.id
          and r.endpoint_id::text = $2::uuid::text
          and r.public_id = d.public_id
          and (r.state in ('pending', 'delivered') or r.id < first_id_at($4))
          and d.state = 'failed'
        limit 1`)} as later on true
      order by d.id`,
    values: [replay.accountId, replay.endpointId, replay.position, replay.toAt, limit, replay.types],
    isPlannedEachTime: true,
  });
}

/** Moves the next attempt of the rows of kind `retry` to now. Returns how many. */
export async function attemptNow(tx: Transaction, replay: RunningReplay, rows: FoundRow[]): Promise<number> {
  const waiting = rows.filter(({ kind }) => kind === "retry").map(({ id }) => id);
  if (waiting.length === 0) return 0;
  const moved = await tx.query({
    name: "attempt-deliveries-now",
    text: `
      with given as materialized (
        select q.delivery_id
        from unnest($2::uuid[]) as wanted (id)
        join webhook_queue q on ${equalByIndex("q.delivery_id", "wanted.id")}
        where q.account_id = $1
          and q.state || '' = 'pending'
        order by q.delivery_id
        for update of q skip locked
      )
      update webhook_queue q
      set due_at = least(q.due_at, now())
      from given
      where ${equalByIndex("q.delivery_id", "given.delivery_id")}
      returning q.delivery_id`,
    values: [replay.accountId, uuidArray(waiting)],
    isPlannedEachTime: true,
  });
  return moved.length;
}
