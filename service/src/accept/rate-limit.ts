import { computedOnce } from "../db/stable-plan.ts";

/**
 * The rate limit of an account, as one step of the accept statement.
 *
 * `rate_windows` has one row per account and mode: the times at which requests were admitted (`times`, ascending), and for
 * each time how many requests had been admitted by then (`totals`). `forgotten` is the total before the first entry. Three
 * sliding windows (1 s, 10 s, 60 s) are read from these two arrays. All requests of one account in a batch share one instant,
 * so the step only decides how many of them are admitted (`granted`); the first ones are. A request may have several mails
 * (POST /send/batch). It counts once, at its last mail (`ends_request`), and its mails share one `position_in_account`. A request that
 * an earlier decision has counted (`ends_request` is null) only needs the row of its account.
 *
 * The columns from `wanted` on carry the decision to the rest of the statement. `fair_at` is the position in the fair queue
 * order: each recipient of an account moves its next send back by a minute divided by its limit per minute.
 */

/** Returns the SQL of the queue head for the SQL of a mode. */
type QueueHead = (mode: string) => string;

/** The queue heads of live and test mail follow the 30 arrays of accept-batch.ts as parameters $31 and $32. */
export const acceptQueueHead: QueueHead = (mode) =>
  `case ${mode} when 'live' then $31::timestamptz else $32::timestamptz end`;

/** 1. The instant of the decision. PostgreSQL reads the clock after it has locked the row. */
const instant = (queueHead: QueueHead) =>
  computedOnce(`
  select reading.read_at,
    -- A server whose clock was set back must not refuse requests until the clock has caught up.
    coalesce(w.times[cardinality(w.times)] < reading.read_at + interval '10 s', true) as is_clock_sane,
    least(reading.read_at, ${queueHead("w.mode")}) as queue_head
  from ${computedOnce("select clock_timestamp() as read_at")} as reading`);

/**
 * The `fair_at` of the account's newest queued send. While that send is queued, the account stays behind it: otherwise a flood would
 * pile up two minutes behind the queue head, which would hardly move on, and other accounts would fall behind the pile. An account
 * whose mail has gone out is at most two minutes behind. Requests that queued nothing, such as refused ones, put nobody back further.
 */
const newestQueuedAt = `coalesce((
        select q.fair_at
        from queue_tails t
        join send_queue q on q.id = t.send_id
        where t.account_id = w.account_id
          and t.mode = w.mode
      ), '-infinity')`;

/** SQL: where the next send of the account `w` goes in a queue with this head. */
export const queuedBehind = (queueHead: string) => `case
      when w.fair_at <= ${queueHead} + interval '2 minutes' then greatest(${queueHead}, w.fair_at)
      else greatest(${queueHead} + interval '2 minutes', least(w.fair_at, ${newestQueuedAt})) end`;

/** SQL: is the send at `fairAt` so far behind the queue head that `newestQueuedAt` will be asked about it? */
export const isFarBehind = (fairAt: string, decidedAt: string, mode: string) =>
  `${fairAt} > least(${decidedAt}, ${acceptQueueHead(mode)}) + interval '1 minute'`;

/** 2. The history up to this instant, empty when the clock was set back. */
const history = (queueHead: QueueHead) =>
  computedOnce(`
  select w.forgotten, excluded.wanted, excluded.limits,
    case when not is_clock_sane then queue_head else ${queuedBehind("queue_head")} end as fair_before,
    case when is_clock_sane then w.times else '{}' end as past_times,
    case when is_clock_sane then w.totals else '{}' end as past_totals,
    case when is_clock_sane then greatest(read_at, w.times[cardinality(w.times)]) else read_at end as decided_at
  from ${instant(queueHead)} as instant`);

/** 3. How many were admitted so far, and how many entries lie before each window. */
const windowStarts = (queueHead: QueueHead) =>
  computedOnce(`
  select *, coalesce(past_totals[cardinality(past_totals)], forgotten) as admitted_so_far,
    width_bucket(decided_at - interval '1 s', past_times) as entries_before_second,
    width_bucket(decided_at - interval '10 s', past_times) as entries_before_10_seconds,
    width_bucket(decided_at - interval '60 s', past_times) as entries_before_minute
  from ${history(queueHead)} as history`);

/** 4. The total at the start of the longest window: what lies before it is forgotten. */
const forgottenNow = (queueHead: QueueHead) =>
  computedOnce(`
  select *, ${totalAt("entries_before_minute")} as admitted_before_minute
  from ${windowStarts(queueHead)} as window_starts`);

/** 5. How many more each window admits. */
const room = (queueHead: QueueHead) =>
  computedOnce(`
  select *,
    (limits[1] - (admitted_so_far - ${totalAt("entries_before_second")}))::integer as room_in_second,
    (limits[2] - (admitted_so_far - ${totalAt("entries_before_10_seconds")}))::integer as room_in_10_seconds,
    (limits[3] - (admitted_so_far - admitted_before_minute))::integer as room_in_minute
  from ${forgottenNow(queueHead)} as forgotten_now`);

/** 6. How many of the wanted requests are admitted. */
const granted = (queueHead: QueueHead) =>
  computedOnce(`
  select *, greatest(0, least(wanted, room_in_second, room_in_10_seconds, room_in_minute))::integer as granted
  from ${room(queueHead)} as room`);

function totalAt(entries: string): string {
  return `case when ${entries} = 0 then forgotten else past_totals[${entries}] end`;
}

/** The time until the oldest entry that fills this window leaves it; null while the window has room. */
const waitFor = (roomColumn: string, limit: number, length: string) => `
        case when decision.${roomColumn} <= decision.granted then decision.times[
          width_bucket(decision.admitted_so_far + decision.granted - decision.limits[${limit}], decision.totals) + 1
        ] + interval '${length}' - decision.decided_at end`;

/**
 * 7. The step itself. It takes rows in key order, so that two batches never deadlock. The insert serves the first request of an
 * account; the update applies steps 1 to 6.
 *
 * An account without queued mail starts at the queue head, and not behind the backlog of others.
 */
export const rateLimitStep = (queueHead: QueueHead) => `
  insert into rate_windows as w (
    account_id, mode, times, totals, fair_at, wanted, recipient_sums, limits,
    decided_at, granted, fair_before, retry_ms, remaining
  )
  select account_id, mode, array[decided_at], array[granted::bigint],
    fair_before + coalesce(recipient_sums[granted], 0) * interval '60 s' / limits[3], wanted, recipient_sums, limits, decided_at, granted,
    fair_before,
    case when granted = wanted then 0 when limits[3] <= granted then 60000 when limits[2] <= granted then 10000 else 1000 end,
    array[limits[1] - granted, limits[2] - granted, limits[3] - granted]
  from (
    select account_id, mode, wanted, recipient_sums, limits, clock_timestamp() as decided_at,
      least(clock_timestamp(), ${queueHead("mode")}) as fair_before,
      least(wanted, limits[1], limits[2], limits[3]) as granted
    from (
      select account_id, mode, count(*) filter (where ends_request)::integer as wanted,
        coalesce(array_agg(recipient_sum order by position) filter (where ends_request), '{}') as recipient_sums, limits
      from allowed
      where ends_request is distinct from false
      group by account_id, mode, limits
    ) as requested
  ) as first_requests
  order by account_id, mode
  on conflict (account_id, mode) do update
  set (
    times, totals, forgotten, fair_at, wanted, recipient_sums, limits,
    decided_at, granted, fair_before, retry_ms, remaining
  ) = (
    select coalesce(compacted.times, decision.times), coalesce(compacted.totals, decision.totals),
      decision.admitted_before_minute,
      decision.fair_before + coalesce(excluded.recipient_sums[decision.granted], 0) * interval '60 s' / decision.limits[3],
      decision.wanted, excluded.recipient_sums, decision.limits, decision.decided_at, decision.granted, decision.fair_before,
      -- The caller may try again when every full window has room.
      case when decision.granted = decision.wanted then 0 else greatest(1, ceil(1000 * extract(epoch from greatest(
        ${waitFor("room_in_second", 1, "1 s")},
        ${waitFor("room_in_10_seconds", 2, "10 s")},
        ${waitFor("room_in_minute", 3, "60 s")}
      ))))::integer end,
      array[
        decision.room_in_second - decision.granted,
        decision.room_in_10_seconds - decision.granted,
        decision.room_in_minute - decision.granted
      ]
    from (
      select *,
        case when granted > 0 then past_times[entries_before_minute + 1:] || decided_at
          else past_times[entries_before_minute + 1:] end as times,
        case when granted > 0 then past_totals[entries_before_minute + 1:] || (admitted_so_far + granted)
          else past_totals[entries_before_minute + 1:] end as totals
      from ${granted(queueHead)} as admission
    ) as decision
    left join lateral (
      -- A limit above 200 is counted in hundredths of its window, each at the time of its latest entry: never too many are
      -- admitted, and at most a hundredth of a window too few. Otherwise a raised limit would carry thousands of entries.
      select array_agg(time order by total) as times, array_agg(total order by total) as totals
      from (
        select distinct on (time_window, slot) time, total
        from (
          select time, total, time_window,
            case when decision.limits[time_window] <= 200 then total
              else floor(extract(epoch from time) * (array[100, 10, 1.6666666667])[time_window])::bigint end as slot
          from (
            select time, total,
              case when time > decision.decided_at - interval '1 s' then 1
                when time > decision.decided_at - interval '10 s' then 2 else 3 end as time_window
            from unnest(decision.times, decision.totals) as entry (time, total)
            -- The condition is here because a condition on the join would be checked after the work is done.
            where cardinality(decision.times) > 512
          ) as aged
        ) as slotted
        order by time_window, slot, total desc
      ) as latest
    ) as compacted on true
  )
  returning account_id, mode, granted, fair_before, retry_ms, remaining, decided_at`;

/** What each window admits now, without counting a request: needs `limits.each` and the row `w`, which may be null. */
export const remainingNow = `array(
          select window_limit - coalesce((
            select coalesce(w.totals[cardinality(w.totals)], w.forgotten)
              - coalesce(
                w.totals[width_bucket(greatest(read_at, w.times[cardinality(w.times)]) - length, w.times)], w.forgotten)
            from ${computedOnce("select clock_timestamp() as read_at")} as reading
            where w.times[cardinality(w.times)] < read_at + interval '10 s'
          ), 0)
          from unnest(limits.each, array[interval '1 s', interval '10 s', interval '60 s']) with ordinality
            as windows (window_limit, length, position)
          order by position
        )::integer[]`;
