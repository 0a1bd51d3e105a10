import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { cpuSecondsOf, postgresCpuSeconds, postgresProcesses } from "./cpu-times.ts";
import { withIdleCell } from "./idle/idle-cell.ts";
import { pssMegabytes } from "./idle/process-memory.ts";

const fullSeconds = 300;
/** Of the busy start, and of everything that follows the last mail within a minute. */
const settleSeconds = { small: 5, full: 60 };
/** Shares of one core, in percent, and MB. A small run measures a cell that has just started, beside other tests. */
const limits = { small: { cpu: 15, memory: 400 }, full: { cpu: 4, memory: 320 } };

export const proof: Proof = {
  promise: "Without mail, API, worker and PostgreSQL together use less than 4 % of a core and 320 MB",
  covers: ["service/migrations", "service/package.json", "service/proofs/idle", "service/src"],
  size: { small: 20, full: fullSeconds },
  run: (seconds, { progress }) =>
    withIdleCell({ progress }, async ({ db, api, worker }) => {
      const isFull = seconds >= fullSeconds;
      const limit = isFull ? limits.full : limits.small;
      await sleep((isFull ? settleSeconds.full : settleSeconds.small) * 1_000);
      const read = async () => ({
        atMs: performance.now(),
        api: cpuSecondsOf(api.pid),
        worker: cpuSecondsOf(worker.pid),
        postgres: await postgresCpuSeconds(db),
        transactions: await countTransactions(db),
      });
      const before = await read();
      for (let waited = 0; waited < seconds; waited += 10) {
        await sleep(Math.min(10, seconds - waited) * 1_000);
        progress(`${waited} s of ${seconds}`);
      }
      const after = await read();
      const tookSeconds = (after.atMs - before.atMs) / 1_000;
      const percent = (name: "api" | "worker" | "postgres") => ((after[name] - before[name]) / tookSeconds) * 100;
      const cpu = { api: percent("api"), worker: percent("worker"), postgres: percent("postgres") };
      const memory = {
        api: pssMegabytes([api.pid]),
        worker: pssMegabytes([worker.pid]),
        postgres: pssMegabytes(await postgresProcesses(db, { withoutOwn: true })),
      };
      const [allCpu, allMemory] = [sumOf(cpu), sumOf(memory)];
      const rate = (after.transactions - before.transactions) / tookSeconds;
      return {
        figure:
          `${tookSeconds.toFixed(0)} s without mail: ${allCpu.toFixed(2)} % of a core (API ${cpu.api.toFixed(2)}, worker ` +
          `${cpu.worker.toFixed(2)}, PostgreSQL ${cpu.postgres.toFixed(2)}), ${rate.toFixed(1)} transactions a second; ` +
          `${allMemory.toFixed(0)} MB (API ${memory.api.toFixed(0)}, worker ${memory.worker.toFixed(0)}, PostgreSQL ` +
          `${memory.postgres.toFixed(0)}), as proportional set size at the end, without the page cache. Load ${loadavg()[0]?.toFixed(1)}`,
        holds: allCpu < limit.cpu && allMemory < limit.memory,
      };
    }),
};

function sumOf(parts: Record<string, number>): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0);
}

/** PostgreSQL reports the transactions of a session within a second, so the count can lag by that. */
async function countTransactions(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-transactions",
    text: `select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`,
  });
  return row?.count ?? Number.NaN;
}
