import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type FeedbackCell, killProcess, withFeedbackCell } from "../../service/proofs/cell/feedback-cell.ts";
import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { until } from "../../service/proofs/until.ts";
import {
  aLoopbackEndpoint,
  loopbackSettings,
  startLoopbackReceiver,
} from "../../service/proofs/webhooks/loopback-receiver.ts";
import { anAccount } from "../../service/test/builders.ts";
import { testContentKeys } from "../../service/test/send-builders.ts";
import { type Bench, fewLongRounds } from "../frame/bench.ts";
import { type Comparison, compare, type Figures } from "../frame/compare.ts";
import { checkRatio } from "../frame/goal-check.ts";
import { median } from "../frame/statistics.ts";
import { fillBaseline, reportDeliveries } from "./fill-webhooks.ts";

const perSecondOfRun = 200;
/** As in the bench `drain`: compiled code and cached plans. */
const warmUp = 1_000;
const target = { goal: 0.5, floor: 0.25, quickFloor: 0.1 };

export const webhooks: Bench = {
  name: "webhooks",
  description:
    "notifications delivered by a worker to one endpoint, compared with a bare skip-locked loop that signs and posts four at a time",
  covers: ["service/migrations", "service/src/db", "service/src/webhooks"],
  isLong: true,
  fullSize: fewLongRounds,
  run: async ({ serverUrl, rounds, seconds, isQuick, progress }) => {
    let arrived = 0;
    const receiver = await startLoopbackReceiver((_, response) => {
      arrived += 1;
      response.end();
    });
    const count = seconds * perSecondOfRun;
    try {
      return await withFeedbackCell(serverUrl, { verifiedIdentities: [] }, async (cell) => {
        const measured = (pid: number) => measure(cell, pid, count, () => arrived);
        const baseline = { name: "baseline", run: () => deliverByBaseline(cell, receiver.url, count, measured) };
        const postern = { name: "postern", run: () => deliverByPostern(cell, receiver.url, count, measured) };
        const compared = await compare([baseline, postern], rounds, progress);
        return {
          comparisons: { "one endpoint": compared },
          goals: [checkRatio("of the baseline", compared, target, { isQuick })],
          findings: {
            "delivered a second and core, worker and PostgreSQL": perCore(compared, "postern"),
            "the same of the baseline": perCore(compared, "baseline"),
          },
        };
      });
    } finally {
      receiver.close();
    }
  },
};

type Measure = (pid: number) => Promise<Figures>;

/** The notifications exist before the worker starts, so that it alone limits the rate. */
async function deliverByPostern(cell: FeedbackCell, url: string, count: number, measured: Measure): Promise<Figures> {
  const accountId = await anAccount(cell.db);
  const types = ["send.delivered"] as const;
  await aLoopbackEndpoint(cell.db, { accountId, contentKeys: testContentKeys, types, url });
  await reportDeliveries(cell.db, accountId, warmUp + count);
  const worker = await cell.start("worker", { ...loopbackSettings, AWS_FEEDBACK_QUEUE_URL: undefined });
  worker.ignoreLogs();
  const figures = await measured(worker.pid);
  await killProcess(worker);
  return figures;
}

async function deliverByBaseline(cell: FeedbackCell, url: string, count: number, measured: Measure): Promise<Figures> {
  await fillBaseline(cell.db, warmUp + count);
  const child = spawn(process.execPath, [join(import.meta.dirname, "baseline-worker.ts")], {
    env: { ...process.env, DATABASE_URL: cell.url, RECEIVER_URL: url },
    stdio: "inherit",
  });
  const exited = once(child, "exit");
  const figures = await measured(child.pid ?? 0);
  await exited;
  return figures;
}

/** Measures from the last arrival of the warm-up to the last of the run. */
async function measure({ db }: FeedbackCell, pid: number, count: number, arrived: () => number): Promise<Figures> {
  const cpuNow = async () => ({ node: cpuSecondsOf(pid), postgres: await postgresCpuSeconds(db) });
  const before = arrived();
  await until(`${warmUp} notifications arrived`, 120, async () => arrived() >= before + warmUp, 5);
  const [begun, cpu, already] = [performance.now(), await cpuNow(), arrived() - before];
  await until(`${count} more arrived`, 600, async () => arrived() >= before + warmUp + count, 5);
  const [seconds, after] = [(performance.now() - begun) / 1000, await cpuNow()];
  const deliveries = warmUp + count - already;
  const per1000 = (used: number) => (used / deliveries) * 1000;
  return {
    rate: deliveries / seconds,
    cpu: { node: per1000(after.node - cpu.node), postgres: per1000(after.postgres - cpu.postgres) },
  };
}

/** What one core could deliver if it did nothing else. */
function perCore({ rounds }: Comparison, name: string): number {
  const each = (rounds[name] ?? []).map(({ cpu = {} }) => 1_000 / ((cpu.node ?? 0) + (cpu.postgres ?? 0)));
  return Math.round(median(each));
}
