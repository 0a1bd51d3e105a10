import type { Queryable } from "./database.ts";

/** The time of the database as this process knows it. Its own wall clock may be wrong and may jump; this does not follow. */
export interface DatabaseClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Corrects itself by a time that has just come back from the database. */
  observe(databaseMs: number): void;
}

export async function openDatabaseClock(db: Queryable): Promise<DatabaseClock> {
  const [row] = await db.query<{ now: string }>({ name: "database-clock", text: `select clock_timestamp() as now` });
  if (row === undefined) throw new Error("the database did not tell its time");
  return createDatabaseClock(Date.parse(row.now));
}

/** What was observed lies a round trip in the past, so the clock runs that little late, and never ahead. */
export function createDatabaseClock(databaseMs: number): DatabaseClock {
  let offset = databaseMs - performance.now();
  return {
    now: () => Math.floor(performance.now() + offset),
    observe(observedMs) {
      offset = observedMs - performance.now();
    },
  };
}
