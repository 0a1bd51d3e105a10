import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  type FeedbackCell,
  healthOf,
  killProcess,
  untilRateIsKnown,
  withFeedbackCell,
} from "../../service/proofs/cell/feedback-cell.ts";
import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { makeSenders, senderDomain, type TestSender } from "../../service/proofs/sends/sending-client.ts";
import { until } from "../../service/proofs/until.ts";
import type { Bench } from "../frame/bench.ts";
import { again, type Comparison, compare, type Figures } from "../frame/compare.ts";
import { type CountedServer, countFindings, openCountedServer } from "../frame/server-counts.ts";
import { fillBaselineQueue, fillQueue } from "./fill-queues.ts";

const accounts = 100;
const slots = 100;
const perSecondOfRun = 600;
/** After this many sends Node has compiled the code and PostgreSQL has cached the plans, as in a worker that runs for days. */
const warmUp = 3_000;

export const drain: Bench = {
  name: "drain",
  description:
    "a diagnostic: the worker, compared with a bare skip-locked loop with the same two updates and the same SDK call",
  isLong: true,
  covers: [
    "service/migrations",
    "service/src/crypto",
    "service/src/db",
    "service/src/delivery",
    "service/src/provider",
    "service/src/queue",
    "service/src/sends",
  ],
  run: ({ serverUrl, rounds, seconds, isQuick, progress }) => {
    const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
    return withFeedbackCell(serverUrl, { verifiedIdentities, maxSendRate: 100_000 }, async (cell) => {
      const senders = await makeSenders(cell.db, cell, accounts);
      const count = seconds * perSecondOfRun;
      const baseline = { name: "baseline", run: () => drainBaseline(cell, senders, count) };
      const postern = { name: "postern", run: () => drainPostern(cell, senders, count) };
      const server = await openCountedServer(serverUrl);
      try {
        const compared = await compare([baseline, again(baseline), postern], rounds, progress, server.checkpoint);
        const ratios = ratioFindings(compared);
        if (isQuick) return { comparisons: { [`${slots} slots`]: compared }, goals: [], findings: ratios };
        progress("counting WAL and blocks");
        const counts = {
          baseline: await countBaseline(server, cell, senders, count),
          postern: await countPostern(server, cell, senders, count),
        };
        return {
          comparisons: { [`${slots} slots`]: compared },
          goals: [],
          findings: { ...ratios, ...countFindings("per send", counts) },
        };
      } finally {
        await server.close();
      }
    });
  },
};

function ratioFindings({ ratios }: Comparison): Record<string, number> {
  const named = Object.entries(ratios).flatMap(([name, { median, lower, upper }]) => [
    [`${name}, of the baseline`, median] as const,
    [`${name}, of the baseline, lower quartile`, lower] as const,
    [`${name}, of the baseline, upper quartile`, upper] as const,
  ]);
  return Object.fromEntries(named.map(([name, ratio]) => [name, Number(ratio.toFixed(3))]));
}

async function drainPostern(cell: FeedbackCell, senders: TestSender[], count: number): Promise<Figures> {
  const worker = await cell.start("worker", { DELIVERY_SLOTS: String(slots), AWS_FEEDBACK_QUEUE_URL: undefined });
  worker.ignoreLogs();
  await untilRateIsKnown(cell);
  const measured = measure(cell, worker.pid, count);
  await fillQueue(cell.db, senders, warmUp + count);
  const figures = await measured;
  await killProcess(worker);
  return figures;
}

async function drainBaseline(cell: FeedbackCell, senders: TestSender[], count: number): Promise<Figures> {
  await fillBaselineQueue(cell.db, senders, warmUp + count);
  const { pid, exited } = spawnBaseline(cell);
  const figures = await measure(cell, pid, count);
  await exited;
  return figures;
}

function spawnBaseline({ environment, url }: FeedbackCell): { pid: number; exited: Promise<unknown> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, "baseline-worker.ts")], {
    env: { ...process.env, ...environment, DATABASE_URL: url, SLOTS: String(slots) },
    stdio: "inherit",
  });
  return { pid: child.pid ?? 0, exited: once(child, "exit") };
}

/** What a worker causes that finds a full queue, from its start to its end. */
async function countPostern(server: CountedServer, cell: FeedbackCell, senders: TestSender[], count: number) {
  await fillQueue(cell.db, senders, count);
  return server.count(async () => {
    const worker = await cell.start("worker", { DELIVERY_SLOTS: String(slots), AWS_FEEDBACK_QUEUE_URL: undefined });
    worker.ignoreLogs();
    await until("the queue is empty", 600, async () => (await queued(cell)) === 0, 200);
    await killProcess(worker);
    return count;
  });
}

async function countBaseline(server: CountedServer, cell: FeedbackCell, senders: TestSender[], count: number) {
  await fillBaselineQueue(cell.db, senders, count);
  return server.count(async () => {
    await spawnBaseline(cell).exited;
    return count;
  });
}

async function queued({ db }: FeedbackCell): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-queued",
    text: "select count(*) as count from send_queue",
  });
  return row?.count ?? Number.NaN;
}

/** Measures from the last mail of the warm-up to the last mail of the run. */
async function measure({ db, simulator }: FeedbackCell, pid: number, count: number): Promise<Figures> {
  const acceptedNow = async () => (await healthOf(simulator)).accepted;
  const cpuNow = async () => ({ node: cpuSecondsOf(pid), postgres: await postgresCpuSeconds(db) });
  const before = await acceptedNow();
  await until(`${warmUp} mails are accepted`, 300, async () => (await acceptedNow()) >= before + warmUp, 5);
  const [begun, cpu, already] = [performance.now(), await cpuNow(), (await acceptedNow()) - before];
  await until(`${count} more are accepted`, 600, async () => (await acceptedNow()) >= before + warmUp + count, 20);
  const [seconds, after] = [(performance.now() - begun) / 1000, await cpuNow()];
  const measured = warmUp + count - already;
  const per1000 = (used: number) => (used / measured) * 1000;
  return {
    rate: measured / seconds,
    cpu: { node: per1000(after.node - cpu.node), postgres: per1000(after.postgres - cpu.postgres) },
  };
}
