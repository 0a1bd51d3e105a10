import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";

/** Who reads the provider's queue of events, and since when somebody does: `in-doubt.ts` knows by it what silence is worth. */

/** Who gave no sign of life for so long is dead for all purposes. */
export const deadAfterSeconds = 10;
/** Longer than that, so that whoever died when reading had come so far is known to have. */
const settleAfterSeconds = 15;
const gapSeconds = 60;
const attendEverySeconds = 2;

export interface Reading {
  readerId: string;
  mode: Mode;
  /** After so long all that it may have in hand by now can be read again by others, should this be its last sign. */
  backSeconds: number;
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
export const isDead = (row: string) => `not (${isWithin(`${row}.seen_at`, String(deadAfterSeconds))})`;

/** SQL over `feedback_signs`: how far the provider's events are known to have been read, null when nothing is known. */
export const reach = `(
        select case when latest > now() then now() else latest end
        from greatest(hand_over_at, case when told_at > now() - interval '24 hours' then empty_at end) as latest)`;

/** A sign of life. */
export async function noteReading(db: Queryable, reading: Reading): Promise<void> {
  await db.query({
    name: "note-reading",
    text: `
      with here as (
        insert into feedback_readers (id, mode, seen_at, back_at)
        values ($1, $2, now(), now() + make_interval(secs => $3))
        on conflict (id) do update set seen_at = excluded.seen_at, back_at = excluded.back_at
      ), left_behind as (
        insert into feedback_readers (id, mode, seen_at, back_at)
        select $4::uuid, $2, '-infinity', now() + make_interval(secs => $3)
        where $4 is not null
        on conflict (id) do update set back_at = excluded.back_at
      ), read_since as (
        delete from feedback_readers r
        using feedback_signs s
        where r.mode = $2 and s.mode = $2 and r.back_at < s.settled_at - interval '1 day'
      )
      update feedback_signs
      set polled_at = case when $5::boolean then now() else polled_at end,
        polled_since = case when ${isWithin("polled_at", "$7")} then polled_since else now() end,
        empty_at = case when $6::float8 is null then empty_at else greatest(empty_at, now() - make_interval(secs => $6)) end
      where mode = $2`,
    values: [
      reading.readerId,
      reading.mode,
      reading.backSeconds,
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
export async function noteAttended(db: Queryable, mode: Mode): Promise<void> {
  await db.query({
    name: "note-attended",
    text: `
      update feedback_signs
      set attended_at = now(),
        attended_since = case when ${isWithin("attended_at", "$2")} then attended_since else now() end,
        (settled_at, reached_at, reached_noted_at) = (
          select case when is_due then reached_at else settled_at end,
            case when is_due then ${reach} else reached_at end,
            case when is_due then now() else reached_noted_at end
          from coalesce(not (${isWithin("reached_noted_at", "$4")}), true) as is_due)
      where mode = $1
        and coalesce(not (${isWithin("attended_at", "$3")}), true)`,
    values: [mode, gapSeconds, attendEverySeconds, settleAfterSeconds],
  });
}
