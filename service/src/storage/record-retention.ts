import type { Queryable } from "../db/database.ts";

/** What the record has, for `postern status`. */
export interface RecordRetention {
  /** RECORD_RETENTION_DAYS of the workers; null while it is not set. */
  retentionDays: number | null;
  /** Records from before this month are dropped; null when none was dropped yet. */
  droppedBefore: string | null;
  /** Sends from before it that stay until they are final or their last event goes; counted up to a bound. */
  olderSends: number;
}

/** The shortest retention, and so the age from which a send can be missing because it was dropped. */
export const minRetentionDays = 60;

export const olderSendsCountedAtMost = 10_000;

export async function readRecordRetention(db: Queryable): Promise<RecordRetention> {
  const [row] = await db.query<RecordRetention>({
    name: "read-record-retention",
    text: `
      select r.retention_days as "retentionDays", r.dropped_before as "droppedBefore", (
        select count(*)
        from (
          select
          from sends s
          where s.id < first_id_at(r.dropped_before)
          limit $1
        ) as older
      ) as "olderSends"
      from record_retention r`,
    values: [olderSendsCountedAtMost],
  });
  return row ?? { retentionDays: null, droppedBefore: null, olderSends: 0 };
}

/** Undefined when nothing was dropped yet. */
export async function findDroppedBefore(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ droppedBefore: string | null }>({
    name: "find-dropped-before",
    text: `
      select dropped_before as "droppedBefore"
      from record_retention`,
  });
  return row?.droppedBefore ?? undefined;
}

export interface NotedRetention {
  /** The first moment of the first month that is kept. */
  keptSince: string;
}

/**
 * Notes the setting and the months that are dropped with it, before anything is dropped: feedback, replays and rebuilds of usage then know
 * what can be missing. Waits for no rebuild of usage: while one runs, nothing is noted, and the result is undefined.
 */
export async function noteRetention(db: Queryable, retentionDays: number): Promise<NotedRetention | undefined> {
  const [row] = await db.query<NotedRetention>({
    name: "note-record-retention",
    text: `
      with kept as materialized (
        select date_trunc('month', now() - make_interval(hours => 24 * $1), 'UTC') as since,
          pg_try_advisory_xact_lock(hashtextextended('rebuild usage', 0)) as is_free
      )
      update record_retention
      set retention_days = $1, dropped_before = greatest(dropped_before, kept.since)
      from kept
      where kept.is_free
      returning kept.since as "keptSince"`,
    values: [retentionDays],
  });
  return row;
}

export async function noteNoRetention(db: Queryable): Promise<void> {
  await db.query({
    name: "note-no-record-retention",
    text: `
      update record_retention
      set retention_days = null
      where retention_days is not null`,
  });
}
