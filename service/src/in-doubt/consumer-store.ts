import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";

/** Who reads the provider's queue of events, and since when somebody does: `in-doubt.ts` knows by it what silence is worth. */

/** Who gave no sign of life for so long is dead for all purposes. */
export const crashedAfterSeconds = 10;
/** Longer than that, so that whoever died when reading had come so far is known to have. */
const settleAfterSeconds = 15;
const gapSeconds = 60;
const attendEverySeconds = 2;

export interface Reading {
  consumerId: string;
  mode: Mode;
  /** After so long all that it may have in hand by now can be read again by others, should this be its last sign. */
  visibleAgainSeconds: number;
  /** Names what it had to leave in the queue since its last sign of life, or may have. */
  leftId: string | undefined;
  /** The queue was asked since then. */
  hasPolled: boolean;
  /** It held nothing that is older than this, if that is known. */
  emptySecondsAgo: number | undefined;
}

/** A time close to now, although it was written by a statement that began a little later, and the clock was not set back. */
const isWithin = (time: string, seconds: string) =>
  `${time} between now() - make_interval(secs => ${seconds}) and now() + interval '10 seconds'`;

/** SQL: of this row nobody gives signs of life. */
export const isCrashed = (row: string) => `not (${isWithin(`${row}.heartbeat_at`, String(crashedAfterSeconds))})`;

/** SQL over `feedback_progress`: how far the provider's events are known to have been read, null when nothing is known. */
export const reach = `(
        select case when latest > now() then now() else latest end
        from greatest(reported_submission_at, case when last_report_at > now() - interval '24 hours' then queue_empty_at end) as latest)`;

/** A sign of life. */
export async function recordHeartbeat(db: Queryable, reading: Reading): Promise<void> {
  await db.query({
    name: "record-heartbeat",
    text: `
      with here as (
        insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
        values ($1, $2, now(), now() + make_interval(secs => $3))
        on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, visible_again_at = excluded.visible_again_at
      ), left_behind as (
        insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
        select $4::uuid, $2, '-infinity', now() + make_interval(secs => $3)
        where $4 is not null
        on conflict (id) do update set visible_again_at = excluded.visible_again_at
      ), read_since as (
        delete from feedback_consumers r
        using feedback_progress s
        where r.mode = $2 and s.mode = $2 and r.visible_again_at < s.confirmed_read_up_to - interval '1 day'
      )
      update feedback_progress
      set polled_at = case when $5::boolean then now() else polled_at end,
        polled_since = case when ${isWithin("polled_at", "$7")} then polled_since else now() end,
        queue_empty_at = case when $6::float8 is null then queue_empty_at else greatest(queue_empty_at, now() - make_interval(secs => $6)) end
      where mode = $2`,
    values: [
      reading.consumerId,
      reading.mode,
      reading.visibleAgainSeconds,
      reading.leftId ?? null,
      reading.hasPolled,
      reading.emptySecondsAgo ?? null,
      gapSeconds,
    ],
  });
}

/**
 * Somebody is there to listen. Whoever resolves doubt says so first: after a pause of all workers, what came meanwhile has to
 * be heard before a wait can be over.
 */
export async function noteWorkersUp(db: Queryable, mode: Mode): Promise<void> {
  await db.query({
    name: "note-workers-up",
    text: `
      update feedback_progress
      set workers_up_at = now(),
        workers_up_since = case when ${isWithin("workers_up_at", "$2")} then workers_up_since else now() end,
        (confirmed_read_up_to, read_up_to, read_up_to_noted_at) = (
          select case when is_due then read_up_to else confirmed_read_up_to end,
            case when is_due then ${reach} else read_up_to end,
            case when is_due then now() else read_up_to_noted_at end
          from coalesce(not (${isWithin("read_up_to_noted_at", "$4")}), true) as is_due)
      where mode = $1
        and coalesce(not (${isWithin("workers_up_at", "$3")}), true)`,
    values: [mode, gapSeconds, attendEverySeconds, settleAfterSeconds],
  });
}
