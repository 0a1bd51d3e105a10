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
import { compare, type Figures } from "../frame/compare.ts";
import { checkRatio } from "../frame/goal-check.ts";
import { fillBaselineQueue, fillQueue } from "./fill-queues.ts";

const accounts = 100;
const slots = 100;
const perSecondOfRun = 600;
/** After this many sends Node has compiled the code and PostgreSQL has cached the plans, as in a worker that runs for days. */
const warmUp = 3_000;
const target = { goal: 0.8, floor: 0.6, quickFloor: 0.3 };

export const drain: Bench = {
  name: "drain",
  description: "the worker, compared with a bare skip-locked loop with the same two updates and the same SDK call",
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
      const compared = await compare([baseline, postern], rounds, progress);
      return {
        comparisons: { [`${slots} slots`]: compared },
        goals: [checkRatio("of the baseline", compared, target, { isQuick })],
      };
    });
  },
};

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
  const child = spawn(process.execPath, [join(import.meta.dirname, "baseline-worker.ts")], {
    env: { ...process.env, ...cell.environment, DATABASE_URL: cell.url, SLOTS: String(slots) },
    stdio: "inherit",
  });
  const exited = once(child, "exit");
  const figures = await measure(cell, child.pid ?? 0, count);
  await exited;
  return figures;
}

/** Measures from the last mail of the warm-up to the last mail of the run. */
async function measure({ db, simulator }: FeedbackCell, pid: number, count: number): Promise<Figures> {
  const acceptedNow = async () => (await healthOf(simulator)).accepted;
  const cpuNow = async () => ({ node: cpuSecondsOf(pid), postgres: await postgresCpuSeconds(db) });
  const before = await acceptedNow();
  await until(`${warmUp} mails are accepted`, 60, async () => (await acceptedNow()) >= before + warmUp, 5);
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
