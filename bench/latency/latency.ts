import { rmSync } from "node:fs";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import { type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "../../service/proofs/cell/feedback-cell.ts";
import { createSendingClient, makeSenders, senderDomain } from "../../service/proofs/sends/sending-client.ts";
import { until } from "../../service/proofs/until.ts";
import { embeddedBinaries } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { makeServerData, startServerOn } from "../../service/test/private-postgres.ts";
import type { PosternProcess } from "../../service/test/spawn-postern.ts";
import { createTemplate } from "../../service/test/template-database.ts";
import type { Bench } from "../frame/bench.ts";
import type { GoalCheck } from "../frame/goal-check.ts";
import { openCountedServer } from "../frame/server-counts.ts";
import { quantile } from "../frame/statistics.ts";
import { sendPaced } from "./send-paced.ts";

const accounts = 100;
const perSecond = 200;
const p50Target = { goal: 4, floor: 15, quickFloor: 500 };
const p99Target = { goal: 25, floor: 60, quickFloor: 5_000 };

export const latency: Bench = {
  name: "latency",
  description: `from the 202 to the commit of \`sent\` at ${perSecond} sends per second, beyond the time of the SES call`,
  covers: sendPath,
  async run({ seconds, rounds, isQuick, progress }) {
    const binaries = await embeddedBinaries();
    const { folder, data } = makeServerData(binaries);
    // Only the server knows when it committed a row.
    const server = await startServerOn(binaries, data, { track_commit_timestamp: "on" });
    const counted = await openCountedServer(server.url);
    try {
      await createTemplate(server.url);
      const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
      return await withFeedbackCell(server.url, { verifiedIdentities, maxSendRate: 10_000 }, async (cell) => {
        const delays = await measure(cell, counted.checkpoint, seconds * rounds, progress);
        const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)];
        const check = (name: string, measured: number, { goal, floor, quickFloor }: typeof p50Target): GoalCheck => ({
          what: `202 to sent at ${perSecond}/s beyond SES's time, ${name}`,
          measured,
          better: "less",
          goal,
          limit: isQuick ? quickFloor : floor,
          unit: " ms",
        });
        return { comparisons: {}, goals: [check("p50", p50, p50Target), check("p99", p99, p99Target)] };
      });
    } finally {
      await counted.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Milliseconds from the 202 of each send to the commit that made it `sent`, without the duration of the SES call. */
async function measure(
  cell: FeedbackCell,
  checkpoint: () => Promise<void>,
  seconds: number,
  progress: (text: string) => void,
): Promise<number[]> {
  const senders = await makeSenders(cell.db, cell, accounts, [1_000, 10_000, 60_000]);
  const worker = await cell.start("worker", { AWS_FEEDBACK_QUEUE_URL: undefined });
  const api = await cell.start("api");
  api.ignoreLogs();
  await untilRateIsKnown(cell);
  const client = createSendingClient(64);
  try {
    // The first few hundred sends run uncompiled code with empty caches.
    await sendPaced(client, { url: api.url, senders, perSecond, count: perSecond * 2 });
    await checkpoint();
    progress(`${perSecond} sends per second for ${seconds} s`);
    const answeredAt = await sendPaced(client, { url: api.url, senders, perSecond, count: perSecond * seconds });
    await until("all are sent", 60, async () => (await waiting(cell)) === 0, 50);
    return await delaysOf(cell, worker, answeredAt);
  } finally {
    client.close();
  }
}

async function waiting({ db }: FeedbackCell): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "waiting",
    text: "select count(*) as count from send_queue",
  });
  return row?.count ?? Number.NaN;
}

async function delaysOf({ db }: FeedbackCell, worker: PosternProcess, answeredAt: Map<string, number>) {
  const rows = await db.query<{ id: string; sentMs: number }>({
    name: "commit-times",
    text: `
      select id, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as "sentMs"
      from sends
      where id = any ($1::uuid[])
        and status = 'sent'`,
    values: [[...answeredAt.keys()]],
  });
  if (rows.length !== answeredAt.size) throw new Error(`${answeredAt.size - rows.length} sends were not sent`);
  const submissions = worker.logs().filter(({ event }) => event === "delivery.attempted");
  const tookMs = new Map(submissions.map((line) => [line.send_id, Number(line.duration_ms)]));
  return rows.map(({ id, sentMs }) => sentMs - (answeredAt.get(id) ?? Number.NaN) - (tookMs.get(id) ?? Number.NaN));
}
