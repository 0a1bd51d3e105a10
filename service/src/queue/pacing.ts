import type { Queryable } from "../db/database.ts";
import { computedOnce } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { type FirstReady, firstReadyColumns, sortableText } from "./scan-start.ts";

/** The right to submit to this many recipients now. With none, `waitMs` says how long to wait before the next reservation. */
export interface Grant {
  mode: Mode;
  recipients: number;
  waitMs: number;
  /** No other send was ready. */
  isLast: boolean;
  secondsPerRecipient: number;
  /** The `fair_at` of the first ready send: the claim scans from there. */
  fromFairAt: string;
  /** The end of the grant on the shared clock; a later reservation of another worker moves the clock on. */
  until: string;
}

/**
 * Postern stays below the rate that the provider allows, because the network brings some requests closer together. A grant is
 * small enough that the recipients of any second stay within the rate, including one grant and 50 ms of jitter.
 */
const shareOfRate = 0.9;
const shareOfGrant = 0.05;
/** How much of a late start is made up for. More would bring the next grants too close together. */
const catchUpSeconds = 0.025;
/** A worker reads the rate some seconds after its start. Until then it assumes the rate of a new SES account. */
const unknownRate = 1;

export interface Reservation {
  /** Undefined when no send is ready or mail is held. */
  grant: Grant | undefined;
  /** The first ready send from `scanFrom` on; undefined while mail is held. */
  first: FirstReady | undefined;
  /** How long the server took for the scan. */
  scanMs: number;
}

interface ScanRow {
  firstAt: string | null;
  isBehind: boolean;
  scanMs: number;
}

/**
 * Reserves up to `wanted` recipients of the rate that all workers share, and no more than there are ready sends. It is a statement
 * of its own, committed before the claim, so that a worker waiting for the lock blocks nobody else. It never reserves ahead of time:
 * after a stall, all waiting workers would submit at the same moment.
 *
 * 1. `rate`: seconds per recipient and the largest grant; no row while mail is held.
 * 2. `ready`: how many sends are ready, from `scanFrom` on.
 * 3. `current`: lock the shared clock. A time more than two minutes ahead is not ours: the clock of the server was set back.
 * 4. `reserved`: move the clock on, if it has been reached.
 */
export async function reserve(
  db: Queryable,
  { mode, wanted, scanFrom }: { mode: Mode; wanted: number; scanFrom: string },
): Promise<Reservation> {
  const [row] = await db.query<ScanRow & (Grant | { recipients: null })>({
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
        select count(*) as sends, min(fair_at) as first_at, ${firstReadyColumns("min(fair_at)")},
          1000 * extract(epoch from clock_timestamp() - statement_timestamp())::float8 as scan_ms
        from (
          select fair_at
          from send_queue
          where state = 'ready' and mode = $1 and fair_at >= $6::timestamptz
          order by fair_at, id
          limit coalesce((select least($2::float8, most)::bigint from rate), 0)
        ) as first_sends
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
      select $1::text as mode, ready.sends < (select least($2::float8, most) from rate) as "isLast", wanted.seconds as "secondsPerRecipient", reserved.next_at::text as until,
        ${sortableText("ready.first_at")} as "fromFairAt",
        case when exists (select from rate) then ${sortableText("ready.scan_start")} end as "firstAt",
        ready.is_behind as "isBehind", ready.scan_ms as "scanMs",
        case when reserved.next_at is null then wanted.sends * 0 else wanted.sends end as recipients,
        case when reserved.next_at is null
          then greatest(1, ceil(1000 * extract(epoch from current.next_at - clock_timestamp())))
          else 0 end::float8 as "waitMs"
      from ready
      left join wanted on true
      left join current on true
      left join reserved on true`,
    values: [mode, wanted, shareOfRate, shareOfGrant, unknownRate, scanFrom, catchUpSeconds],
  });
  if (row === undefined) throw new Error("the pace could not be read");
  const { firstAt, isBehind, scanMs, ...grant } = row;
  const first = firstAt === null ? undefined : { at: firstAt, isBehind };
  return { grant: grant.recipients === null ? undefined : grant, first, scanMs };
}

/**
 * Returns the unused part of a grant, unless another worker has reserved since. Then it is lost, which makes sending slower but
 * never too fast. A send with more recipients than were granted is charged here and delays the next ones.
 */
export async function settleGrant(db: Queryable, grant: Grant, used: number): Promise<void> {
  if (used === grant.recipients) return;
  await db.query({
    name: "settle-grant",
    text: `
      select set_pace($1, next_at + make_interval(secs => $2::float8))
      from ${computedOnce("select lock_pace($1) as next_at")} as current
      where $2::float8 > 0 or next_at = $3::timestamptz`,
    values: [grant.mode, (used - grant.recipients) * grant.secondsPerRecipient, grant.until],
  });
}

/** The provider answered that it was too fast: no worker submits for a second. */
export async function slowDown(db: Queryable, mode: Mode): Promise<void> {
  await db.query({
    name: "slow-down",
    text: `
      select set_pace($1, clock_timestamp() + interval '1 second')
      from ${computedOnce("select lock_pace($1) as next_at")} as current
      where next_at < clock_timestamp() + interval '1 second'`,
    values: [mode],
  });
}
