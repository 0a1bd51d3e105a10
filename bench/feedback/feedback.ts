import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type FeedbackCell, killProcess, withFeedbackCell } from "../../service/proofs/cell/feedback-cell.ts";
import { createRawAws } from "../../service/proofs/cell/raw-aws.ts";
import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { envelopeText, eventText } from "../../service/proofs/feedback/event-texts.ts";
import { inParallel } from "../../service/proofs/sends/sending-client.ts";
import { storeSentSends } from "../../service/proofs/sends/sent-sends.ts";
import { until } from "../../service/proofs/until.ts";
import type { Database } from "../../service/src/db/database.ts";
import { anAccount } from "../../service/test/builders.ts";
import { type Bench, fewLongRounds } from "../frame/bench.ts";
import { compare, type Figures } from "../frame/compare.ts";
import { checkRatio } from "../frame/goal-check.ts";
import { compareStatements } from "./statements.ts";

const perSecondOfRun = 1_500;
const target = { goal: 0.5, floor: 0.35, quickFloor: 0.15 };

export const feedback: Bench = {
  name: "feedback",
  description:
    "events applied by the worker, compared with bare batched inserts of the same rows: read from SQS, and as a diagnostic by SQL alone",
  isLong: true,
  fullSize: fewLongRounds,
  covers: [
    "service/migrations",
    "service/src/db",
    "service/src/events",
    "service/src/feedback",
    "service/src/in-doubt",
    "service/src/provider/ses/feedback",
    "service/src/suppressions",
  ],
  run: ({ serverUrl, rounds, seconds, isQuick, progress }) =>
    withFeedbackCell(serverUrl, {}, async (cell) => {
      await createBaselineTables(cell);
      const count = seconds * perSecondOfRun;
      const baseline = { name: "baseline", run: () => consumeWithBaseline(cell, count) };
      const postern = { name: "postern", run: () => consumeWithPostern(cell, count) };
      const bySql = await compareStatements(cell.db, rounds, seconds, progress);
      const fromSqs = await compare([baseline, postern], rounds, progress);
      return {
        comparisons: { "SQL alone, batches of 100": bySql, "from SQS": fromSqs },
        goals: [checkRatio("of the baseline, from SQS", fromSqs, target, { isQuick })],
      };
    }),
};

async function consumeWithPostern(cell: FeedbackCell, count: number): Promise<Figures> {
  await fillQueue(cell, count);
  const worker = await cell.start("worker");
  worker.ignoreLogs();
  const figures = await measure(cell, worker.pid, count);
  await killProcess(worker);
  return figures;
}

async function consumeWithBaseline(cell: FeedbackCell, count: number): Promise<Figures> {
  await fillQueue(cell, count);
  const child = spawn(process.execPath, [join(import.meta.dirname, "baseline-consumer.ts")], {
    env: { ...process.env, ...cell.environment, DATABASE_URL: cell.url },
    stdio: "inherit",
  });
  const exited = once(child, "exit");
  const figures = await measure(cell, child.pid ?? 0, count);
  await exited;
  return figures;
}

/** Half of the messages are Send events, which only Postern uses; the other half are Delivery events. */
async function fillQueue({ db, simulator, topicArn, queueUrl }: FeedbackCell, count: number): Promise<void> {
  const mails = await storeSentSends(db, { accountId: await anAccount(db), count: count / 2 });
  const aws = createRawAws(simulator.url);
  await inParallel(mails, 16, async (mail) => {
    const delivery = { type: "Delivery", at: mail.acceptedAt, recipients: mail.recipients } as const;
    for (const event of [{ type: "Send" } as const, delivery]) {
      await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(mail, event)));
    }
  });
  aws.close();
}

/** Measures from the first deleted message to the last, so that the start of the process does not count. */
async function measure({ db, queued }: FeedbackCell, pid: number, count: number): Promise<Figures> {
  const cpuNow = async () => ({ node: cpuSecondsOf(pid), postgres: await postgresCpuSeconds(db) });
  await until("the first message is deleted", 60, async () => (await queued()) < count, 5);
  const [begun, cpu, left] = [performance.now(), await cpuNow(), await queued()];
  await until("all messages are deleted", 600, async () => (await queued()) === 0, 20);
  const [seconds, after] = [(performance.now() - begun) / 1000, await cpuNow()];
  const per1000 = (used: number) => (used / left) * 1000;
  return {
    rate: left / seconds,
    cpu: { node: per1000(after.node - cpu.node), postgres: per1000(after.postgres - cpu.postgres) },
  };
}

async function createBaselineTables({ db }: { db: Database }): Promise<void> {
  await db.query({
    name: "create-baseline-events",
    text: `
      create table baseline_events (
        id uuid primary key,
        send_id uuid not null,
        account_id uuid not null,
        mode text not null,
        event_type text not null,
        event_at timestamptz not null,
        recipient text not null,
        bounce_type text,
        bounce_subtype text,
        complaint_type text
      )`,
  });
  await db.query({
    name: "index-baseline-events",
    text: "create index baseline_events_account_idx on baseline_events (account_id, mode, id)",
  });
  await db.query({
    name: "create-baseline-indexed-events",
    text: "create table baseline_indexed_events (like baseline_events including all)",
  });
  await db.query({
    name: "index-baseline-types",
    text: "create index on baseline_indexed_events (account_id, mode, event_type, id)",
  });
  await db.query({ name: "index-baseline-sends", text: "create index on baseline_indexed_events (send_id)" });
}
