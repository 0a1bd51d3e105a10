import type { Queryable } from "./database.ts";

/** The database's time as known to this process. Independent of the process's wall clock, which may be wrong or jump. */
export interface DatabaseClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Adjusts the clock to a time that the database has just returned. */
  observe(databaseMs: number): void;
}

export async function openDatabaseClock(db: Queryable): Promise<DatabaseClock> {
  const [row] = await db.query<{ now: string }>({ name: "database-clock", text: `select clock_timestamp() as now` });
  if (row === undefined) throw new Error("the database did not return its time");
  return createDatabaseClock(Date.parse(row.now));
}

/** An observed time is up to one round trip old, so the clock is slightly late and never early. */
export function createDatabaseClock(databaseMs: number): DatabaseClock {
  let offset = databaseMs - performance.now();
  return {
    now: () => Math.floor(performance.now() + offset),
    observe(observedMs) {
      offset = observedMs - performance.now();
    },
  };
}
