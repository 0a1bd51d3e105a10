import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { cpuSecondsOf, postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import { envelopeText, eventText } from "../../service/proofs/event-texts.ts";
import { end, type FeedbackCell, withFeedbackCell } from "../../service/proofs/feedback-cell.ts";
import { createRawAws } from "../../service/proofs/raw-aws.ts";
import { inParallel } from "../../service/proofs/sending-client.ts";
import { storeSentSends } from "../../service/proofs/sent-sends.ts";
import { until } from "../../service/proofs/until.ts";
import type { Database } from "../../service/src/db/database.ts";
import { anAccount } from "../../service/test/builders.ts";
import type { Bench } from "../frame/bench.ts";
import { compare, type Figures } from "../frame/compare.ts";
import { judgeRatio } from "../frame/judgement.ts";
import { compareStatements } from "./statements.ts";

const perSecondOfRun = 1_500;
const wanted = { goal: 0.5, floor: 0.35, quickFloor: 0.15 };

export const feedback: Bench = {
  name: "feedback",
  asks: "events applied by the worker, beside bare batched inserts of the same rows: out of SQS, and by SQL alone",
  run: ({ serverUrl, rounds, seconds, isQuick, progress }) =>
    withFeedbackCell(serverUrl, {}, async (cell) => {
      await makePlainEvents(cell);
      const count = seconds * perSecondOfRun;
      const bare = { name: "yardstick", run: () => takePlain(cell, count) };
      const ours = { name: "postern", run: () => takeOurs(cell, count) };
      const bySql = await compareStatements(cell.db, rounds, seconds, progress);
      const outOfSqs = await compare([bare, ours], rounds, progress);
      return {
        comparisons: { "SQL alone, sets of 100": bySql, "out of SQS": outOfSqs },
        judged: [
          judgeRatio("of the yardstick, SQL alone", bySql, wanted, isQuick),
          judgeRatio("of the yardstick, out of SQS", outOfSqs, wanted, isQuick),
        ],
      };
    }),
};

async function takeOurs(cell: FeedbackCell, count: number): Promise<Figures> {
  await fillQueue(cell, count);
  const worker = await cell.start("worker");
  worker.ignoreLogs();
  const figures = await measure(cell, worker.pid, count);
  await end(worker);
  return figures;
}

async function takePlain(cell: FeedbackCell, count: number): Promise<Figures> {
  await fillQueue(cell, count);
  const child = spawn(process.execPath, [join(import.meta.dirname, "yardstick-consumer.ts")], {
    env: { ...process.env, ...cell.environment, DATABASE_URL: cell.url },
    stdio: "inherit",
  });
  const exited = once(child, "exit");
  const figures = await measure(cell, child.pid ?? 0, count);
  await exited;
  return figures;
}

/** Half of the messages are Send events, which only ours has a use for; the other half are deliveries. */
async function fillQueue({ db, simulator, topicArn, queueUrl }: FeedbackCell, count: number): Promise<void> {
  const mails = await storeSentSends(db, { accountId: await anAccount(db), count: count / 2 });
  const aws = createRawAws(simulator.url);
  await inParallel(mails, 16, async (mail) => {
    const delivery = { type: "Delivery", at: mail.acceptedAt, recipients: mail.recipients } as const;
    for (const told of [{ type: "Send" } as const, delivery]) {
      await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(mail, told)));
    }
  });
  aws.close();
}

/** From the first message that is deleted to the last, so that no start-up counts. */
async function measure({ db, queued }: FeedbackCell, pid: number, count: number): Promise<Figures> {
  const cpuNow = async () => ({ node: cpuSecondsOf(pid), postgres: await postgresCpuSeconds(db) });
  await until("the first message is taken", 60, async () => (await queued()) < count, 5);
  const [begun, cpu, left] = [performance.now(), await cpuNow(), await queued()];
  await until("all messages are taken", 600, async () => (await queued()) === 0, 20);
  const [seconds, after] = [(performance.now() - begun) / 1000, await cpuNow()];
  const per1000 = (used: number) => (used / left) * 1000;
  return {
    rate: left / seconds,
    cpu: { node: per1000(after.node - cpu.node), postgres: per1000(after.postgres - cpu.postgres) },
  };
}

export async function makePlainEvents({ db }: { db: Database }): Promise<void> {
  await db.query({
    name: "make-plain-events",
    text: `
      create table plain_events (
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
    name: "index-plain-events",
    text: "create index plain_events_account_idx on plain_events (account_id, mode, id)",
  });
  await db.query({
    name: "make-plain-indexed-events",
    text: "create table plain_indexed_events (like plain_events including all)",
  });
  await db.query({
    name: "index-plain-types",
    text: "create index on plain_indexed_events (account_id, mode, event_type, id)",
  });
  await db.query({ name: "index-plain-sends", text: "create index on plain_indexed_events (send_id)" });
}
