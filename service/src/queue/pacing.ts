import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";
import { type Mark, markColumns, markText } from "./scan-start.ts";

/** The right to hand over to so many recipients now; with none of them, how long to wait before asking again. */
export interface Grant {
  mode: Mode;
  recipients: number;
  waitMs: number;
  secondsPerRecipient: number;
  /** The turn of the first send that is ready: a claim need not look at what lies before it. */
  fromFairAt: string;
  /** The end of the grant on the shared clock; whoever reserved after us moved it on. */
  until: string;
}

/**
 * Below the rate the provider allows, because the network brings some closer together than they left. A grant is so small
 * that the recipients of any second, one grant and 50 ms of such jitter included, stay within the rate.
 */
const shareOfRate = 0.9;
const shareOfGrant = 0.05;
/** So much of a late start is made up for; more would bring those that follow too close to it. */
const madeUpSeconds = 0.025;
/** A process knows the rate some seconds after its first start; until then one a second is what even a new account may. */
const unknownRate = 1;

export interface Reservation {
  /** Undefined when nothing is ready or mail is held. */
  grant: Grant | undefined;
  /** From the given mark on, no ready send lies before it; undefined when nobody looked. */
  mark: Mark | undefined;
  /** How long the look took the server. */
  lookMs: number;
}

interface MarkRow {
  markAt: string | null;
  isBehind: boolean;
  lookMs: number;
}

/**
 * Takes up to `wanted` recipients from the rate that all workers share, and no more than there are sends to claim. One
 * statement of its own, committed before the claim: who waits for the lock must not hold others up. Nothing is given ahead of
 * its time: after a stall, those who waited for theirs would go all at once.
 *
 * A time more than two minutes ahead is none of ours: the clock of the database was set back.
 */
export async function reserve(
  db: Queryable,
  { mode, wanted, scanStart }: { mode: Mode; wanted: number; scanStart: string },
): Promise<Reservation> {
  const [row] = await db.query<MarkRow & (Grant | { recipients: null })>({
    name: "reserve-pace",
    text: `
      with rate as materialized (
        select 1 / ($3::float8 * allowed) as seconds, greatest(1, floor($4::float8 * allowed)) as most
        from (
          select coalesce(nullif(max_per_second, 0), $5::float8) as allowed
          from provider_state
          where mode = $1 and hold_reason is null and operator_held_since is null
        ) as known
      ), ready as materialized (
        select count(*) as sends, min(fair_at) as first_at, ${markColumns("min(fair_at)")},
          1000 * extract(epoch from clock_timestamp() - statement_timestamp())::float8 as look_ms
        from (
          select fair_at
          from send_queue
          where state = 'ready' and mode = $1 and fair_at >= $6::timestamptz
          order by fair_at, id
          limit coalesce((select least($2::float8, most)::bigint from rate), 0)
        ) as first_ones
      ), wanted as materialized (
        select rate.seconds, ready.sends, make_interval(secs => ready.sends * rate.seconds) as duration
        from rate, ready
        where ready.sends > 0
      ), current as materialized (
        select lock_pace($1) as next_at
        from wanted
      ), reserved as materialized (
        select set_pace($1, wanted.duration + case
          when next_at > clock_timestamp() + interval '2 minutes' then clock_timestamp()
          else greatest(next_at, clock_timestamp() - make_interval(secs => $7)) end) as next_at
        from current, wanted
        where next_at <= clock_timestamp()
          or next_at > clock_timestamp() + interval '2 minutes'
      )
      select $1::text as mode, wanted.seconds as "secondsPerRecipient", reserved.next_at::text as until,
        ${markText("ready.first_at")} as "fromFairAt",
        case when exists (select from rate) then ${markText("ready.mark_at")} end as "markAt", ready.is_behind as "isBehind",
        ready.look_ms as "lookMs",
        case when reserved.next_at is null then wanted.sends * 0 else wanted.sends end as recipients,
        case when reserved.next_at is null
          then greatest(1, ceil(1000 * extract(epoch from current.next_at - clock_timestamp())))
          else 0 end::float8 as "waitMs"
      from ready
      left join wanted on true
      left join current on true
      left join reserved on true`,
    values: [mode, wanted, shareOfRate, shareOfGrant, unknownRate, scanStart, madeUpSeconds],
  });
  if (row === undefined) throw new Error("the pace could not be read");
  const { markAt, isBehind, lookMs, ...grant } = row;
  const mark = markAt === null ? undefined : { at: markAt, isBehind };
  return { grant: grant.recipients === null ? undefined : grant, mark, lookMs };
}

/**
 * Gives back what was not used, unless another has reserved since: then it is lost, which is slower but never too fast. A
 * send with more recipients than were granted is charged here and delays those that follow.
 */
export async function settleGrant(db: Queryable, grant: Grant, used: number): Promise<void> {
  if (used === grant.recipients) return;
  await db.query({
    name: "settle-grant",
    text: `
      select set_pace($1, next_at + make_interval(secs => $2::float8))
      from (select lock_pace($1) as next_at offset 0) as current
      where $2::float8 > 0 or next_at = $3::timestamptz`,
    values: [grant.mode, (used - grant.recipients) * grant.secondsPerRecipient, grant.until],
  });
}

/** After the provider said that it was too fast: nobody goes on for a second. */
export async function slowDown(db: Queryable, mode: Mode): Promise<void> {
  await db.query({
    name: "slow-down",
    text: `
      select set_pace($1, clock_timestamp() + interval '1 second')
      from (select lock_pace($1) as next_at offset 0) as current
      where next_at < clock_timestamp() + interval '1 second'`,
    values: [mode],
  });
}
