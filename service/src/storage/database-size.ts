import type { Queryable } from "../db/database.ts";

export interface SizeSample {
  /** Seconds before now. */
  ageSeconds: number;
  bytes: number;
}

/** A week to compare, and a day of samples to compare. */
export const readDays = 8;

/**
 * Stores the size of the database once an hour, however often it is called, and keeps 30 days. Rows of the future are deleted too: the
 * clock of the server was set back.
 */
export async function measureDatabase(db: Queryable): Promise<void> {
  await db.query({
    name: "measure-database",
    text: `
      with old as (
        delete from database_sizes
        where hour not between now() - interval '30 days' and now()
      )
      insert into database_sizes (hour, measured_at, bytes)
      select date_bin('1 hour', now(), 'epoch'), now(), pg_database_size(current_database())
      on conflict on constraint database_sizes_once do nothing`,
  });
}

/** The last sample of each day (UTC), oldest first, at most 31. */
export async function listDailySizes(db: Queryable): Promise<{ measuredAt: string; bytes: number }[]> {
  return db.query<{ measuredAt: string; bytes: number }>({
    name: "list-daily-sizes",
    text: `
      select distinct on (date_trunc('day', hour, 'UTC')) measured_at as "measuredAt", bytes
      from database_sizes
      where hour between now() - interval '30 days' and now()
      order by date_trunc('day', hour, 'UTC'), hour desc`,
  });
}

/** The samples of the last days, oldest first. */
export async function listSizes(db: Queryable): Promise<SizeSample[]> {
  return db.query<SizeSample>({
    name: "list-sizes",
    text: `
      select extract(epoch from now() - measured_at)::float8 as "ageSeconds", bytes
      from database_sizes
      where hour between now() - make_interval(days => $1, hours => 2) and now()
      order by hour`,
    values: [readDays],
  });
}
