import type { Queryable } from "../db/database.ts";

/**
 * After a failover to a standby that lagged, or the restore of a backup, the database knows less than had been done: a send
 * it calls ready may have been handed over. So nothing is claimed there until all live sends that were on their way are in
 * doubt; from then on evidence and silence decide as for every doubt. Test mail goes on: its provider is this database.
 */

/**
 * server: another system, timeline or database than before. rewound: the same, but less of it is on disk than a running
 * worker had seen. feedback: the provider tells of what is not in the record. operator: somebody said so.
 */
export type FailoverCause = "server" | "rewound" | "feedback" | "operator";

export interface Failover {
  cause: FailoverCause;
  before: string | null;
  after: string;
}

/** What a process has seen of the server before; both null at first. */
export interface ServerSeen {
  position: string | null;
  changedAt: string | null;
}

export interface ServerCheck extends ServerSeen {
  /** Nothing happened since a worker last met this server. */
  isKnown: boolean;
  /** Some sends of before the last change are not in doubt yet. */
  isSweeping: boolean;
}

/** Before it went on to another, the server had more on disk, and no change was noticed since that would explain it. */
const isRewound = (changedAt: string) =>
  `coalesce(server_position() < $1::pg_lsn, false) and ${changedAt} is not distinct from $2::timestamptz`;

/** Cheap, for every tick. */
export async function inspectServer(db: Queryable, seen: ServerSeen): Promise<ServerCheck> {
  const [row] = await db.query<ServerCheck>({
    name: "inspect-server",
    text: `
      select coalesce(server_run = server_run(), false) and not (${isRewound("failover_at")}) as "isKnown",
        coalesce(server_run = '', false) as "isSweeping", server_position()::text as position,
        failover_at::text as "changedAt"
      from provider_state
      where mode = 'live'`,
    values: [seen.position, seen.changedAt],
  });
  if (row === undefined) throw new Error("provider_state has no row for live mail");
  return row;
}

/**
 * The server was started, or is another one. When it holds the history that was worked on before, it may be claimed from;
 * otherwise a change is opened, by one of those who notice it.
 */
export async function recognizeServer(db: Queryable, seen: ServerSeen): Promise<Failover | undefined> {
  const [row] = await db.query<Failover>({
    name: "recognize-server",
    text: `
      with here as materialized (
        select server_run() as run, server_identity() as identity
      ), known as materialized (
        select server, server_run, failover_at
        from provider_state
        where mode = 'live'
        for update
      ), changed as materialized (
        select known.server as before, here.identity as after,
          case when known.server <> here.identity then 'server' else 'rewound' end as cause
        from known, here
        where known.server <> here.identity
          or (${isRewound("known.failover_at")})
      ), ${opened}, met as (
        update provider_state
        set server = here.identity, server_run = here.run
        from here, known
        where mode = 'live'
          and known.server_run is distinct from ''
          and not exists (select from changed)
      )
      select cause, before, after from opened`,
    values: [seen.position, seen.changedAt],
  });
  return row;
}

/**
 * For what the server itself does not show: the operator restored a copy, or the provider tells of it. Whatever was told or
 * done before the last change is explained by that one; then it returns undefined. `since` is when it was done, or `infinity`.
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
      ), changed as materialized (
        select server as before, server_identity() as after, $1::text as cause
        from known
      ), ${opened}
      select cause, before, after from opened`,
    values: [cause, since],
  });
  return row;
}

/**
 * Goes on from `changed`, with the row of provider_state locked. A sweep that was under way is covered by the new one. Doubt
 * begins after every sign of feedback there is, so that none of them counts as silence if this server's clock is behind.
 */
const opened = `superseded as (
        update failovers
        set swept_at = now()
        where swept_at is null
          and exists (select from changed)
      ), opened as (
        insert into failovers (cause, server_before, server_after, in_doubt_since, last_id)
        select changed.cause, changed.before, changed.after,
          (select greatest(now(), reported_submission_at, queue_empty_at) from feedback_progress where mode = 'live'),
          (select id from send_queue order by id desc limit 1)
        from changed
        returning cause, server_before as before, server_after as after
      ), closed as (
        update provider_state
        set server = changed.after, server_run = '', failover_at = now()
        from changed
        where mode = 'live'
      )`;
