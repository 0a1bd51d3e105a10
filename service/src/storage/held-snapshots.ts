import type { Queryable } from "../db/database.ts";

/** Vacuum cannot remove rows that were deleted after this snapshot was taken, because its holder may still read them. */
export interface HeldSnapshot {
  /** A session in a transaction, a prepared transaction that was never finished, or a standby with hot_standby_feedback. */
  holder: "session" | "prepared-transaction" | "replication";
  /** The application_name of a session or standby, or the name of the prepared transaction or replication slot. */
  name: string;
  pid: number | null;
  /** Null where PostgreSQL does not show it: for a standby, and without `pg_read_all_stats` for other users' sessions. */
  heldSeconds: number | null;
  /** Transactions that have begun since. */
  transactions: number;
}

/** No transaction of Postern takes this long: an older one was left open, or does work that should run elsewhere. */
export const heldTooLongSeconds = 300;
/** Used when the time is unknown: a busy installation begins this many transactions within minutes. */
const tooManyTransactions = 100_000;

export function isHeldTooLong(
  { heldSeconds, transactions }: HeldSnapshot,
  longSeconds: number = heldTooLongSeconds,
): boolean {
  return heldSeconds === null ? transactions >= tooManyTransactions : heldSeconds >= longSeconds;
}

/** The statement with which an administrator ends the holder; undefined for a standby, which has to be repaired instead. */
export function terminationCommand({ holder, name, pid }: HeldSnapshot): string | undefined {
  if (holder === "session") return `select pg_terminate_backend(${pid})`;
  return holder === "replication" ? undefined : `rollback prepared '${name.replaceAll("'", "''")}'`;
}

/**
 * Lists the current holders of a snapshot or transaction id, oldest first. The time of a session is that of its
 * transaction; its snapshot can be newer. Vacuum processes and sessions of other databases do not hold vacuum back.
 */
export async function listHeldSnapshots(db: Queryable): Promise<HeldSnapshot[]> {
  return db.query<HeldSnapshot>({
    name: "list-held-snapshots",
    text: `
      select holder, name, pid, extract(epoch from clock_timestamp() - since)::float8 as "heldSeconds", transactions
      from (
        select 'session' as holder, a.application_name as name, a.pid, a.xact_start as since,
          greatest(age(a.backend_xmin), age(a.backend_xid)) as transactions
        from pg_stat_activity a
        where a.datname = current_database()
          and a.pid <> pg_backend_pid()
          and a.leader_pid is null
          and a.backend_type is distinct from 'autovacuum worker'
          and a.pid not in (select v.pid from pg_stat_progress_vacuum v)
        union all
        select 'replication', r.application_name, r.pid, null, age(r.backend_xmin)
        from pg_stat_replication r
        union all
        select 'replication', s.slot_name::text, s.active_pid, null, age(s.xmin)
        from pg_replication_slots s
        union all
        select 'prepared-transaction', p.gid, null, p.prepared, age(p.transaction)
        from pg_prepared_xacts p
        where p.database = current_database()
      ) as holders
      where transactions is not null
      order by transactions desc, since
      limit 20`,
  });
}
