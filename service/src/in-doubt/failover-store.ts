import type { Queryable } from "../db/database.ts";
import { type FailoverMark, isPromotedStandby, lacksMark, waitsForStandby } from "./failover-marks.ts";

/**
 * Failovers. After a failover to a standby that lagged, or after the restore of a backup, the database knows less than workers have
 * done: a send that it calls ready may have been submitted. The rule for live mail:
 *
 * 1. Workers claim only from the server run in `provider_state.server_run` (null: no worker has run yet, so any). After a restart
 *    the server has another run.
 * 2. A worker that meets an unknown run compares the history (`server_identity`) and its length on disk (`server_position`) with
 *    what was there before. The same history, not shorter: the run is stored, and claims continue. The same for a promoted standby
 *    that has the last mark of the worker (failover-marks.ts).
 * 3. Otherwise it opens a failover: no worker claims until every live send on its way is in doubt (failover-sweep.ts). From then
 *    on resolve-in-doubt.ts decides as for every send in doubt.
 *
 * Test mail continues, because the sandbox keeps its state in this database.
 */

/**
 * server: another system, timeline or database than before. rewound: the same, but less of it is on disk than a running worker
 * has seen. feedback: the provider reports submissions that are not in the record. operator: the operator declared it.
 */
export type FailoverCause = "server" | "rewound" | "feedback" | "operator";

export interface Failover {
  cause: FailoverCause;
  before: string | null;
  after: string;
}

/** What a process last saw of the server; all null at first. */
export interface ServerSeen {
  position: string | null;
  failoverAt: string | null;
  /** Null while commits do not wait for a standby, and when the last mark is old. */
  mark: FailoverMark | null;
}

export interface ServerCheck extends Omit<ServerSeen, "mark"> {
  /** Workers may claim from this server run. */
  isKnown: boolean;
  /** Some sends from before the last failover are not in doubt yet. */
  isSweeping: boolean;
  /** PostgreSQL acknowledges a commit only when a synchronous standby has it. */
  waitsForStandby: boolean;
}

/**
 * SQL: this process has seen more of the history than there is now, and no failover since then explains it. Positions on disk are not
 * compared with those of a promoted standby: the old server may have had more on disk than it acknowledged.
 */
const isRewound = (server: string, failoverAt: string) => `(
        ${failoverAt} is not distinct from $2::timestamptz
          and (coalesce(server_position() < $1::pg_lsn and coalesce(${server} = $5::text, true), false) or ${lacksMark})
      )`;

const valuesOf = ({ position, failoverAt, mark }: ServerSeen) => [
  position,
  failoverAt,
  mark?.worker ?? null,
  mark?.mark ?? null,
  mark?.server ?? null,
];

/** Cheap enough for every tick. */
export async function inspectServer(db: Queryable, seen: ServerSeen): Promise<ServerCheck> {
  const [row] = await db.query<ServerCheck>({
    name: "inspect-server",
    text: `
      select coalesce(server_run = server_run(), false) and not ${isRewound("server", "failover_at")} as "isKnown",
        coalesce(server_run = '', false) as "isSweeping", server_position()::text as position,
        failover_at::text as "failoverAt", ${waitsForStandby} as "waitsForStandby"
      from provider_state
      where mode = 'live'`,
    values: valuesOf(seen),
  });
  if (row === undefined) throw new Error("provider_state has no row for live mail");
  return row;
}

/** no-loss: the server is a promoted standby that has everything. Claims continue, and nothing is stored about it. */
export type RecognizedFailover = Omit<Failover, "cause"> & { cause: FailoverCause | "no-loss" };

/**
 * Stores an unknown server run, or opens a failover. Returns the failover, or the promotion without a loss; one of the processes that
 * call it gets it.
 */
export async function recognizeServer(db: Queryable, seen: ServerSeen): Promise<RecognizedFailover | undefined> {
  const [row] = await db.query<RecognizedFailover>({
    name: "recognize-server",
    text: `
      with here as materialized (
        select server_run() as run, server_identity() as identity
      ), known as materialized (
        select server, server_run, failover_at
        from provider_state
        where mode = 'live'
        for update
      ), promoted as materialized (
        select known.server as before, here.identity as after
        from known, here
        where known.server_run <> ''
          and ${isPromotedStandby("known.server", "here.identity")}
          and not ${lacksMark}
      ), detected as materialized (
        select known.server as before, here.identity as after,
          case when known.server <> here.identity then 'server' else 'rewound' end as cause
        from known, here
        where (known.server <> here.identity or ${isRewound("known.server", "known.failover_at")})
          and not exists (select from promoted)
      ), ${opened}, met as (
        update provider_state
        set server = here.identity, server_run = here.run
        from here, known
        where mode = 'live'
          and known.server_run is distinct from ''
          and not exists (select from detected)
      )
      select cause, before, after from opened
      union all
      select 'no-loss', before, after from promoted`,
    values: valuesOf(seen),
  });
  return row;
}

/**
 * Opens a failover that the server itself does not show: the operator restored a copy, or the provider reports unknown
 * submissions. `since` is when those were made, or `infinity`. Returns undefined when a failover after `since` explains them.
 */
export async function declareFailover(
  db: Queryable,
  cause: "feedback" | "operator",
  since: string,
): Promise<Failover | undefined> {
  const [row] = await db.query<Failover>({
    name: "declare-failover",
    text: `
      with known as materialized (
        select server
        from provider_state
        where mode = 'live' and coalesce(failover_at, '-infinity') < $2::timestamptz
        for update
      ), detected as materialized (
        select server as before, server_identity() as after, $1::text as cause
        from known
      ), ${opened}
      select cause, before, after from opened`,
    values: [cause, since],
  });
  return row;
}

/**
 * Follows the step `detected`, with the row of `provider_state` locked. A new failover covers an unfinished sweep. The sends count
 * as in doubt from a time after all feedback progress, so that no earlier progress counts as evidence against them, even if the
 * clock of this server is behind. An account that was moving to another cell may have been released there: it is suspended until the command has
 * asked that cell (moves/released-move.ts).
 */
const opened = `superseded as (
        update failovers
        set swept_at = now()
        where swept_at is null
          and exists (select from detected)
      ), opened as (
        insert into failovers (cause, server_before, server_after, in_doubt_since, last_id)
        select detected.cause, detected.before, detected.after,
          (select greatest(now(), reported_submission_at, queue_empty_at) from feedback_progress where mode = 'live'),
          (select id from send_queue order by id desc limit 1)
        from detected
        returning cause, server_before as before, server_after as after
      ), closed as (
        update provider_state
        set server = detected.after, server_run = '', failover_at = now()
        from detected
        where mode = 'live'
      ), unknown_moves as (
        update outgoing_moves m
        set state = 'unknown', held_at = coalesce(m.held_at, now())
        from detected
        where m.state not in ('released', 'unknown')
        returning m.account_id, m.held_at
      ), suspended as (
        update accounts a
        set suspended_at = unknown_moves.held_at
        from unknown_moves
        where a.id = unknown_moves.account_id
          and a.suspended_at is null
      )`;
