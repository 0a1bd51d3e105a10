import { makeSenders, type TestSender } from "../../service/proofs/sends/sending-client.ts";
import { createEmptyDatabase } from "../../service/test/template-database.ts";
import { withApiProcesses } from "../../service/test/with-api-processes.ts";
import { installContenders } from "../engines/install-contenders.ts";
import { requireServers, startRedis } from "../engines/private-servers.ts";
import type { Bench } from "../frame/bench.ts";
import { again, type Comparison, type Contender, compare } from "../frame/compare.ts";
import { checkRatio, type GoalCheck } from "../frame/goal-check.ts";
import { type CountedServer, type Counts, countFindings, openCountedServer } from "../frame/server-counts.ts";
import { makePlainTables } from "../plain/plain-tables.ts";
import { type Endpoint, measure } from "./measure-endpoint.ts";
import { runWrk } from "./run-wrk.ts";
import { type BaselineName, startBaseline } from "./start-baseline.ts";

const accounts = 1_000;
const poolSize = 10;
const warmUpSeconds = 5;
/** Above the measured load, and low enough that a rate window has the size of production: some hundred entries. */
const limits: [number, number, number] = [1_000, 10_000, 6_000];
const besidePlain = { goal: 4, floor: 3, quickFloor: 1 };
const besideUseSend = { goal: 2, floor: 1.5, quickFloor: 1 };

export const accept: Bench = {
  name: "accept",
  description:
    "the complete POST /api/v1/send, compared with the same duties written plainly and with the shape of useSend: what it reads and checks, a row, then a job in BullMQ",
  covers: [
    "bench/plain",
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
    // The quick size runs in CI, which has neither Redis nor BullMQ.
    const versions = isQuick ? {} : { ...installContenders(progress), ...requireServers("redis-server") };
    const server = await openCountedServer(serverUrl);
    try {
      return await withApiProcesses(serverUrl, 1, async ({ db, processes, credentialDeps }) => {
        const senders = await makeSenders(db, credentialDeps, accounts, limits);
        await db.query({ name: "analyze", text: "analyze" });
        const [api] = processes;
        if (api === undefined) throw new Error("the API process did not start");
        api.ignoreLogs();
        return await withBaselines(serverUrl, senders, isQuick, async (baselines) => {
          const endpoints: Endpoint[] = [{ name: "postern", url: api.url, pids: { node: api.pid } }, ...baselines];
          progress(
            "warming up: compiled code, cached plans and filled rate windows, as in a process that runs for days",
          );
          for (const { url } of endpoints) await runWrk(url, senders, { connections: 64, seconds: warmUpSeconds });
          const race = (connections: number) => {
            const [postern, plain, ...others] = endpoints.map(
              (endpoint): Contender => ({
                name: endpoint.name,
                run: () => measure(db, endpoint, senders, { connections, seconds }),
              }),
            ) as [Contender, Contender, ...Contender[]];
            return compare([plain, again(plain), postern, ...others], rounds, progress, server.checkpoint);
          };
          const comparisons: Record<string, Comparison> = {};
          for (const connections of isQuick ? [64] : [64, 256])
            comparisons[`${connections} connections`] = await race(connections);
          if (isQuick)
            progress("the shape of useSend and the diagnostics are left to the full size, which needs Redis");
          const load = { connections: 64, seconds };
          const counts = isQuick ? {} : await countAll(server, endpoints, senders, load, progress);
          const findings = countFindings("per request at 64 connections", counts);
          return { comparisons, goals: goalsOf(comparisons, isQuick), findings, details: { versions } };
        });
      });
    } finally {
      await server.close();
    }
  },
};

function goalsOf(comparisons: Record<string, Comparison>, isQuick: boolean): GoalCheck[] {
  return Object.entries(comparisons).flatMap(([title, compared]) => [
    checkRatio(`of the duties written plainly, ${title}`, compared, besidePlain, { isQuick }),
    ...(isQuick
      ? []
      : [
          checkRatio(`of the shape of useSend, ${title}`, compared, besideUseSend, { isQuick, other: "usesend-shape" }),
        ]),
  ]);
}

/** Redis has a log of its own, which the count of WAL does not contain. */
async function countAll(
  server: CountedServer,
  endpoints: Endpoint[],
  senders: TestSender[],
  load: { connections: number; seconds: number },
  progress: (text: string) => void,
): Promise<Record<string, Counts>> {
  const counts: Record<string, Counts> = {};
  for (const { name, url } of endpoints) {
    progress(`counting WAL and blocks of ${name}`);
    counts[name] = await server.count(async () => (await runWrk(url, senders, load)).requests);
  }
  return counts;
}

/** Each baseline has its own database on the same server. The first is the plain one. */
async function withBaselines<Result>(
  serverUrl: string,
  senders: TestSender[],
  isQuick: boolean,
  work: (baselines: Endpoint[]) => Promise<Result>,
): Promise<Result> {
  const names: BaselineName[] = isQuick ? ["plain"] : ["plain", "usesend-shape", "row-and-job", "bare"];
  await using stack = new AsyncDisposableStack();
  const endpoints: Endpoint[] = [];
  for (const name of names) {
    const { url: databaseUrl, drop } = await createEmptyDatabase(serverUrl);
    stack.defer(drop);
    if (name === "plain" || name === "usesend-shape") await makePlainTables(databaseUrl, senders, limits);
    const redis = name === "usesend-shape" || name === "row-and-job" ? await startRedis() : undefined;
    if (redis !== undefined) stack.defer(redis.stop);
    const { url, pid, stop } = await startBaseline(name, {
      DATABASE_URL: databaseUrl,
      POOL_SIZE: String(poolSize),
      ...(redis && { REDIS_PORT: String(redis.port) }),
    });
    stack.defer(stop);
    endpoints.push({ name, url, pids: { node: pid, ...(redis && { redis: redis.pid }) } });
  }
  return await work(endpoints);
}
