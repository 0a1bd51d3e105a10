import { codeLevel } from "../db/code-range.ts";
import type { Queryable } from "../db/database.ts";
import { isWithin } from "../db/time-check.ts";
import type { Mode } from "../mode.ts";

/** The heartbeats of API and worker processes, and the last runs of chores. */

export type ProcessRole = "api" | "worker" | "serve";

/** A process without a heartbeat for this long has ended or is frozen. */
export const freshSeconds = 20;

export interface ProcessHeartbeat {
  id: string;
  role: ProcessRole;
  name: string;
  version: string;
  startedSecondsAgo: number;
  claimsFailingSeconds: number | null;
  choresFailingSeconds: number | null;
  claimedSecondsAgo: Record<Mode, number | null>;
  /** A worker could claim a send of this mode at this moment. */
  isClaimable: Record<Mode, boolean>;
  /** The last runs since the previous heartbeat. */
  chores: { name: string; endedSecondsAgo: number; hasFailed: boolean }[];
  /** All chores that this process runs. */
  chorePauseSeconds: Record<string, number>;
}

const ago = (parameter: string) => `now() - make_interval(secs => ${parameter}::float8)`;
/** A process that was frozen meanwhile starts again: it did not look at the queue all the time. */
const since = (column: string, parameter: string) => `
          case when not ${parameter} then null
            when ${isWithin("known.seen_at", String(freshSeconds))} then coalesce(known.${column}, now())
            else now() end`;

/** One small write per process every few seconds. Rows without a heartbeat for a day are deleted. */
export async function recordProcess(db: Queryable, heartbeat: ProcessHeartbeat): Promise<void> {
  await db.query({
    name: "record-process",
    text: `
      with forgotten as (
        delete from processes
        where seen_at < now() - interval '1 day' and id <> $1
      ), forgotten_chores as (
        delete from chores
        where ended_at < now() - interval '1 day' and name <> all ($12::text[])
      ), ended_chores as (
        insert into chores as known (name, ended_at, failing_since, failed_runs)
        select name, ${ago("seconds_ago")}, case when has_failed then ${ago("seconds_ago")} end, has_failed::integer
        from unnest($12::text[], $13::float8[], $14::boolean[]) as ended (name, seconds_ago, has_failed)
        order by name
        on conflict (name) do update
        set ended_at = excluded.ended_at,
          failing_since = case when excluded.failing_since is not null
            then coalesce(known.failing_since, excluded.failing_since) end,
          failed_runs = case when excluded.failing_since is not null then known.failed_runs + 1 else 0 end
        where known.ended_at < excluded.ended_at
      )
      insert into processes as known (id, role, name, version, started_at, seen_at, alive_since,
        claims_failing_since, chores_failing_since, live_claimed_at, test_claimed_at, live_claimable_since,
        test_claimable_since, chores, code_level)
      values ($1, $2, $3, $4, ${ago("$5")}, now(), now(), ${ago("$6")}, ${ago("$7")}, ${ago("$8")}, ${ago("$9")},
        case when $10::boolean then now() end, case when $11::boolean then now() end, $15::jsonb, ${codeLevel})
      on conflict (id) do update
      set seen_at = excluded.seen_at, stopped_at = null,
        alive_since = ${since("alive_since", "true")},
        claims_failing_since = excluded.claims_failing_since, chores_failing_since = excluded.chores_failing_since,
        live_claimed_at = excluded.live_claimed_at, test_claimed_at = excluded.test_claimed_at,
        live_claimable_since = ${since("live_claimable_since", "$10::boolean")},
        test_claimable_since = ${since("test_claimable_since", "$11::boolean")}`,
    values: [
      heartbeat.id,
      heartbeat.role,
      heartbeat.name,
      heartbeat.version,
      heartbeat.startedSecondsAgo,
      heartbeat.claimsFailingSeconds,
      heartbeat.choresFailingSeconds,
      heartbeat.claimedSecondsAgo.live,
      heartbeat.claimedSecondsAgo.test,
      heartbeat.isClaimable.live,
      heartbeat.isClaimable.test,
      heartbeat.chores.map(({ name }) => name),
      heartbeat.chores.map(({ endedSecondsAgo }) => endedSecondsAgo),
      heartbeat.chores.map(({ hasFailed }) => hasFailed),
      JSON.stringify(heartbeat.chorePauseSeconds),
    ],
  });
}

export async function recordStop(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "record-stop",
    text: `
      update processes
      set seen_at = now(), stopped_at = now()
      where id = $1`,
    values: [id],
  });
}

/**
 * Whether a worker could claim a send now: one is ready, mail is not on hold, and the pace permits it. At the full rate of SES the
 * pace is nearly always ahead, however long the queue is. A pace more than two minutes ahead is not one (queue/pacing.ts).
 */
export async function readClaimable(db: Queryable): Promise<Record<Mode, boolean>> {
  const rows = await db.query<{ mode: Mode }>({
    name: "read-claimable",
    text: `
      select state.mode
      from provider_state state
      join (
        select 'live' as mode, last_value from pace_live
        union all
        select 'test', last_value from pace_test
      ) as pace on pace.mode = state.mode
      where state.hold_reason is null and state.operator_held_since is null
        and timestamptz 'epoch' + pace.last_value * interval '1 microsecond'
          not between clock_timestamp() and clock_timestamp() + interval '2 minutes'
        and exists (
          select from send_queue
          where send_queue.state = 'ready' and send_queue.mode = state.mode
        )`,
  });
  const has = (wanted: Mode) => rows.some(({ mode }) => mode === wanted);
  return { live: has("live"), test: has("test") };
}
