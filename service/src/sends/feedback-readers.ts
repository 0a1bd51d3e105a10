import type { Queryable } from "../db/database.ts";
import type { Mode } from "./send-request.ts";

/** Who reads the provider's queue of events, and since when somebody does: `in-doubt.ts` knows by it what silence is worth. */

export interface Reading {
  readerId: string;
  mode: Mode;
  /** Should this be its last sign of life: after so long all it may have in hand can be read again by others. */
  backSeconds: number;
  /** The queue was asked since the last sign of life. */
  hasPolled: boolean;
  /** It held nothing that is older than this, if that is known. */
  emptySecondsAgo: number | undefined;
}

const gapSeconds = 60;

/** A sign of life. Rows of the dead are of use for an hour or so, as long as a send in doubt is waited for. */
export async function noteReading(db: Queryable, reading: Reading): Promise<void> {
  await db.query({
    name: "note-reading",
    text: `
      with here as (
        insert into feedback_readers (id, mode, seen_at, back_at)
        values ($1, $2, now(), now() + make_interval(secs => $3))
        on conflict (id) do update set seen_at = excluded.seen_at, back_at = excluded.back_at
      ), forgotten as (
        delete from feedback_readers
        where back_at < now() - interval '1 day'
      )
      update feedback_signs
      set polled_at = case when $4::boolean then now() else polled_at end,
        polled_since = case
          when not $4::boolean or polled_at > now() - make_interval(secs => $6) then polled_since
          else now() end,
        empty_at = case when $5::float8 is null then empty_at else greatest(empty_at, now() - make_interval(secs => $5)) end
      where mode = $2`,
    values: [
      reading.readerId,
      reading.mode,
      reading.backSeconds,
      reading.hasPolled,
      reading.emptySecondsAgo ?? null,
      gapSeconds,
    ],
  });
}

const attendEverySeconds = 5;

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
        attended_since = case when attended_at > now() - make_interval(secs => $2) then attended_since else now() end
      where mode = $1
        and (attended_at is null or attended_at < now() - make_interval(secs => $3))`,
    values: [mode, gapSeconds, attendEverySeconds],
  });
}
