import type { Queryable } from "../db/database.ts";

/** What keeps vacuum from cleaning up: rows that were deleted since it began stay, because it could still see them. */
export interface HeldSnapshot {
  /** A session in a transaction, one that was prepared and never ended, or a standby that reports what it still reads. */
  holder: "session" | "prepared-transaction" | "replication";
  /** Of a session or standby its application_name, else the name of the transaction or slot. */
  name: string;
  pid: number | null;
  /** Null where PostgreSQL does not tell: of a standby, and of another user's session without `pg_read_all_stats`. */
  heldSeconds: number | null;
  /** How many transactions have begun since. */
  transactions: number;
}

/** A transaction of this age is forgotten, or does what should be done elsewhere. */
export const heldTooLongSeconds = 300;
/** Where no time is told: what a busy installation begins in some minutes. */
const tooManyTransactions = 100_000;

export function isHeldTooLong(
  { heldSeconds, transactions }: HeldSnapshot,
  longSeconds: number = heldTooLongSeconds,
): boolean {
  return heldSeconds === null ? transactions >= tooManyTransactions : heldSeconds >= longSeconds;
}

/** What an administrator runs to end it; undefined for a standby, which is not ended but mended. */
export function endingOf({ holder, name, pid }: HeldSnapshot): string | undefined {
  if (holder === "session") return `select pg_terminate_backend(${pid})`;
  return holder === "replication" ? undefined : `rollback prepared '${name.replaceAll("'", "''")}'`;
}

/**
 * Everyone who has a snapshot or a transaction id at this moment, the oldest first. Of sessions the time is that of their
 * transaction, whose snapshot may be younger. Those that vacuum, and those of other databases, keep nobody from cleaning up.
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
