import type { Queryable } from "../db/database.ts";

/**
 * Marks prove that a promoted standby has everything (ADR 0016). While PostgreSQL acknowledges no commit before a synchronous standby has
 * it on disk, each worker writes a mark at every check. WAL is replayed in order, so a standby with the mark has every commit from before
 * it; and what PostgreSQL acknowledged to any process after it, the synchronous standby has too.
 */

/** What a worker wrote last, and the server that acknowledged it. */
export interface FailoverMark {
  worker: string;
  mark: string;
  /** `provider_state.server` at that time. */
  server: string;
}

/** SQL: PostgreSQL acknowledges a commit only when a synchronous standby has it on disk. */
export const waitsForStandby = `(
        current_setting('synchronous_standby_names') <> ''
          and current_setting('synchronous_commit') in ('on', 'remote_apply')
      )`;

/** SQL: this database lacks the mark $4 of the worker $3. False without a mark. */
export const lacksMark = `(
        $3::uuid is not null
          and not exists (select from failover_marks m where m.worker = $3::uuid and m.mark >= $4::bigint)
      )`;

/**
 * SQL: the server `after` is a standby of `before`, the server of the mark ($5), promoted once. Both are texts of `server_identity`. A
 * server that hides its system identifier or timeline never is.
 */
export const isPromotedStandby = (before: string, after: string) => `(
        ${before} = $5::text
          and ${after} ~ '^[0-9]+/[0-9A-F]{8}/[0-9]+$' and ${before} ~ '^[0-9]+/[0-9A-F]{8}/[0-9]+$'
          and split_part(${before}, '/', 1) = split_part(${after}, '/', 1)
          and split_part(${before}, '/', 3) = split_part(${after}, '/', 3)
          and ('x' || split_part(${after}, '/', 2))::bit(32)::bigint = ('x' || split_part(${before}, '/', 2))::bit(32)::bigint + 1
      )`;

/** Only a server run from which workers may claim takes a mark. Deletes those of workers that ended a day ago. */
export async function writeMark(db: Queryable, worker: string): Promise<FailoverMark | undefined> {
  const [row] = await db.query<FailoverMark>({
    name: "write-failover-mark",
    text: `
      with known as materialized (
        select server
        from provider_state
        where mode = 'live' and server_run = server_run()
      ), old as (
        delete from failover_marks
        where marked_at < now() - interval '1 day' and worker <> $1
      ), written as (
        insert into failover_marks as m (worker, mark, marked_at)
        select $1, 1, now()
        from known
        on conflict (worker) do update set mark = m.mark + 1, marked_at = now()
        returning m.worker, m.mark
      )
      select written.worker, written.mark::text as mark, known.server
      from written, known`,
    values: [worker],
  });
  return row;
}
