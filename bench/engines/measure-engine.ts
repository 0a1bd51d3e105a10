import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import type { Database } from "../../service/src/db/database.ts";
import { openTestDatabase } from "../../service/test/template-database.ts";
import type { Figures } from "../frame/compare.ts";
import type { CountedServer, Counts } from "../frame/server-counts.ts";
import type { EngineCell } from "./engine-cells.ts";
import { type EngineProcess, spawnEngine } from "./spawn-engine.ts";

/**
 * Of code that is compiled while it runs: a process that has run for days is compared. Postern's producer takes 0.09 CPU-seconds per 1,000 of the
 * first 10,000 sends, 0.07 of the next, 0.06 of the third and 0.05 from then on (2026-11-20).
 */
const warmUp = 30_000;

interface RunningEngine {
  db: Database;
  processes: Record<"producer" | "worker", EngineProcess>;
  run(sends: number): Promise<void>;
}

/** Measures from the first insert to the last mark, with a producer and a worker that have processed a warm-up before. */
export function measureEngine(cell: EngineCell, count: number, checkpoint: () => Promise<void>): Promise<Figures> {
  return withEngine(cell, async ({ db, processes, run }) => {
    // PostgreSQL writes the dirty pages of earlier runs now, not during the measurement.
    await checkpoint();
    const cpuNow = () => cpuByPart(db, cell, processes);
    const [before, begun] = [await cpuNow(), performance.now()];
    await run(count);
    const seconds = (performance.now() - begun) / 1000;
    const after = await cpuNow();
    await requireSent(db, warmUp + count);
    const per1000 = Object.keys(after).map((part) => {
      const used = (after[part] ?? 0) - (before[part] ?? 0);
      return [part, (used / count) * 1000] as const;
    });
    return { rate: count / seconds, cpu: Object.fromEntries(per1000) };
  });
}

export function countEngine(cell: EngineCell, count: number, server: CountedServer): Promise<Counts> {
  return withEngine(cell, ({ run }) =>
    server.count(async () => {
      await run(count);
      return count;
    }),
  );
}

async function withEngine<Result>(cell: EngineCell, work: (engine: RunningEngine) => Promise<Result>): Promise<Result> {
  const started: EngineProcess[] = [];
  const db = openTestDatabase(cell.databaseUrl);
  const spawn = async (role: "produce" | "work") => {
    const process = await spawnEngine(cell.script, role, cell.environment);
    started.push(process);
    return process;
  };
  try {
    // The worker starts first, because it creates the queue.
    const [worker, producer] = [await spawn("work"), await spawn("produce")];
    const run = async (sends: number) => {
      await Promise.all([worker.run(sends), producer.run(sends)]);
    };
    await run(warmUp);
    return await work({ db, processes: { producer, worker }, run });
  } finally {
    await Promise.all(started.map((each) => each.stop()));
    await db.close();
  }
}

async function cpuByPart(
  db: Database,
  { servers }: EngineCell,
  processes: Record<string, EngineProcess>,
): Promise<Record<string, number>> {
  const parts = Object.entries({ ...processes, ...servers }).map(
    ([part, { pid }]) => [part, cpuSecondsOf(pid)] as const,
  );
  return { ...Object.fromEntries(parts), postgres: await postgresCpuSeconds(db) };
}

async function requireSent(db: Database, count: number): Promise<void> {
  const [row] = await db.query<{ sent: number }>({
    name: "count-sent",
    text: `
      select count(*) as sent
      from sends
      where status = 'sent' and sent_at is not null and provider_message_id is not null`,
  });
  if (row?.sent !== count) throw new Error(`${row?.sent} of ${count} sends are recorded as sent`);
}
