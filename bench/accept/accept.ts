import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { makeSenders, type TestSender } from "../../service/proofs/sends/sending-client.ts";
import type { Database } from "../../service/src/db/database.ts";
import { createEmptyDatabase } from "../../service/test/template-database.ts";
import { withApiProcesses } from "../../service/test/with-api-processes.ts";
import type { Bench } from "../frame/bench.ts";
import { type Comparison, compare, type Figures } from "../frame/compare.ts";
import { checkRatio } from "../frame/goal-check.ts";
import { startBaseline } from "./baseline.ts";
import { runWrk } from "./run-wrk.ts";

const accounts = 1_000;
const poolSize = 10;
/** Above the measured load, and low enough that a rate window has the size of production: some hundred entries. */
const limits: [number, number, number] = [1_000, 10_000, 6_000];
const target = { goal: 1, floor: 0.7, quickFloor: 0.25 };

export const accept: Bench = {
  name: "accept",
  description:
    "the complete POST /api/v1/send, compared with a minimal endpoint that stores the same row with one INSERT per request",
  covers: [
    "service/migrations",
    "service/src/accept",
    "service/src/api",
    "service/src/buffered-lines.ts",
    "service/src/crypto",
    "service/src/db",
    "service/src/log.ts",
    "service/src/sends",
  ],
  async run({ serverUrl, rounds, seconds, isQuick, progress }) {
    const empty = await createEmptyDatabase(serverUrl);
    const baseline = await startBaseline(empty.url, poolSize);
    try {
      return await withApiProcesses(serverUrl, 1, async ({ db, processes, credentialDeps }) => {
        const senders = await makeSenders(db, credentialDeps, accounts, limits);
        await db.query({ name: "analyze", text: "analyze" });
        const [api] = processes;
        if (api === undefined) throw new Error("the API process did not start");
        api.ignoreLogs();
        const contender = (name: string, at: { url: string; pid: number }, connections: number) => ({
          name,
          run: () => measure(db, at, senders, { connections, seconds }),
        });
        const comparisons: Record<string, Comparison> = {};
        for (const connections of isQuick ? [64] : [64, 256]) {
          comparisons[`${connections} connections`] = await compare(
            [contender("baseline", baseline, connections), contender("postern", api, connections)],
            rounds,
            progress,
          );
        }
        const goals = Object.entries(comparisons).map(([title, compared]) =>
          checkRatio(`of the baseline, ${title}`, compared, target, { isQuick }),
        );
        return { comparisons, goals };
      });
    } finally {
      await baseline.stop();
      await empty.drop();
    }
  },
};

async function measure(
  db: Database,
  { url, pid }: { url: string; pid: number },
  senders: TestSender[],
  load: { connections: number; seconds: number },
): Promise<Figures> {
  const cpu = async () => ({ node: cpuSecondsOf(pid), postgres: await postgresCpuSeconds(db) });
  const [before, wal] = [await cpu(), await walBytes(db)];
  const { requests, seconds, p50, p99 } = await runWrk(url, senders, load);
  const after = await cpu();
  const per1000 = (used: number) => (used / requests) * 1000;
  return {
    rate: requests / seconds,
    cpu: { node: per1000(after.node - before.node), postgres: per1000(after.postgres - before.postgres) },
    notes: { p50Ms: p50, p99Ms: p99, walBytes: ((await walBytes(db)) - wal) / requests },
  };
}

async function walBytes(db: Database): Promise<number> {
  const [row] = await db.query<{ bytes: number }>({
    name: "wal-bytes",
    text: "select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes",
  });
  return row?.bytes ?? Number.NaN;
}
