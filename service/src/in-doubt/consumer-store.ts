import type { Queryable } from "../db/database.ts";
import { isWithin } from "../db/time-check.ts";
import type { Mode } from "../mode.ts";

/** The consumers of the provider's queue of events: which are running, and what crashed ones may hold in flight. */

/** A consumer without a heartbeat for this long counts as crashed. */
export const crashedAfterSeconds = 10;
/** A pause of consumers or workers longer than this is a gap. */
export const gapSeconds = 60;

export interface Heartbeat {
  consumerId: string;
  mode: Mode;
  /** If this is the last heartbeat, the queue redelivers everything that the consumer holds within this time. */
  visibleAgainSeconds: number;
  /** The row for messages that this consumer left in the queue since its last heartbeat, or may have left. */
  leftId: string | undefined;
  /** The consumer received from the queue since its last heartbeat. */
  hasPolled: boolean;
  /** The queue held nothing older than this; undefined when that is not known. */
  emptySecondsAgo: number | undefined;
}

/** SQL: the consumer of this row has crashed, or the row represents messages left in the queue. */
export const isCrashed = (row: string) => `not (${isWithin(`${row}.heartbeat_at`, String(crashedAfterSeconds))})`;

export async function recordHeartbeat(db: Queryable, heartbeat: Heartbeat): Promise<void> {
  await db.query({
    name: "record-heartbeat",
    text: `
      with renewed as (
        insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
        values ($1, $2, now(), now() + make_interval(secs => $3))
        on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, visible_again_at = excluded.visible_again_at
      ), left_in_queue as (
        insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
        select $4::uuid, $2, '-infinity', now() + make_interval(secs => $3)
        where $4 is not null
        on conflict (id) do update set visible_again_at = excluded.visible_again_at
      ), read_again as (
        delete from feedback_consumers c
        using feedback_progress p
        where c.mode = $2 and p.mode = $2 and c.visible_again_at < p.confirmed_read_up_to - interval '1 day'
      )
      update feedback_progress
      set polled_at = case when $5::boolean then now() else polled_at end,
        polled_since = case when ${isWithin("polled_at", "$7")} then polled_since else now() end,
        queue_empty_at = case when $6::float8 is null then queue_empty_at
          else greatest(queue_empty_at, now() - make_interval(secs => $6)) end
      where mode = $2`,
    values: [
      heartbeat.consumerId,
      heartbeat.mode,
      heartbeat.visibleAgainSeconds,
      heartbeat.leftId ?? null,
      heartbeat.hasPolled,
      heartbeat.emptySecondsAgo ?? null,
      gapSeconds,
    ],
  });
}
