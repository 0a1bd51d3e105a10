import type { Database } from "../src/db/database.ts";

/** In microseconds: added to `performance.now() * 1000`, it is the time of the database. Half of the fastest round trip is its error. */
export async function measureClockOffset(db: Database): Promise<number> {
  const tries: { offset: number; tookUs: number }[] = [];
  for (let count = 0; count < 20; count++) {
    const before = performance.now() * 1000;
    const [row] = await db.query<{ us: number }>({
      name: "clock-us",
      text: `select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us`,
    });
    const after = performance.now() * 1000;
    tries.push({ offset: (row?.us ?? 0) - (before + after) / 2, tookUs: after - before });
  }
  return tries.toSorted((one, other) => one.tookUs - other.tookUs)[0]?.offset ?? 0;
}
