import { rmSync } from "node:fs";
import { type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "../../service/proofs/feedback-cell.ts";
import { createSendingClient, makeSenders, senderDomain } from "../../service/proofs/sending-client.ts";
import { until } from "../../service/proofs/until.ts";
import { embeddedBinaries } from "../../service/src/dev/embedded-postgres.ts";
import { makeServerData, startServerOn } from "../../service/test/private-postgres.ts";
import type { PosternProcess } from "../../service/test/spawn-postern.ts";
import { createTemplate } from "../../service/test/template-database.ts";
import type { Bench } from "../frame/bench.ts";
import { quantile } from "../frame/statistics.ts";
import { sendPaced } from "./send-paced.ts";

const accounts = 100;
const perSecond = 200;

export const latency: Bench = {
  name: "latency",
  asks: `from the 202 to the commit of \`sent\` at ${perSecond} a second, without the time of the hand-over itself`,
  async run({ seconds, rounds, isQuick, progress }) {
    const binaries = await embeddedBinaries();
    const { folder, data } = makeServerData(binaries);
    // When a row was committed is what only the server can tell.
    const server = await startServerOn(binaries, data, { track_commit_timestamp: "on" });
    try {
      await createTemplate(server.url);
      const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
      return await withFeedbackCell(server.url, { verifiedIdentities, maxSendRate: 10_000 }, async (cell) => {
        const beyond = await measure(cell, seconds * rounds, progress);
        const [p50, p99] = [quantile(beyond, 0.5), quantile(beyond, 0.99)];
        const figure = (what: string, measured: number, goal: number, lenient: number) => {
          const limit = isQuick ? lenient : goal;
          return { what, measured, better: "less" as const, goal, limit, unit: " ms" };
        };
        return {
          comparisons: {},
          judged: [figure("202 to sent, p50", p50, 15, 500), figure("202 to sent, p99", p99, 60, 5_000)],
        };
      });
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Milliseconds of each send, from its 202 to the commit that made it `sent`, less what the hand-over took. */
async function measure(cell: FeedbackCell, seconds: number, progress: (text: string) => void): Promise<number[]> {
  const senders = await makeSenders(cell.db, cell, accounts, [1_000, 10_000, 60_000]);
  const worker = await cell.start("worker", { AWS_FEEDBACK_QUEUE_URL: undefined });
  const api = await cell.start("api");
  api.ignoreLogs();
  await untilRateIsKnown(cell);
  const client = createSendingClient(64);
  try {
    // The first hundreds find cold code and empty caches.
    await sendPaced(client, { url: api.url, senders, perSecond, count: perSecond * 2 });
    progress(`${perSecond} sends a second for ${seconds} s`);
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
  const handOvers = worker.logs().filter(({ event }) => event === "delivery.attempted");
  const tookMs = new Map(handOvers.map((line) => [line.send_id, Number(line.duration_ms)]));
  return rows.map(({ id, sentMs }) => sentMs - (answeredAt.get(id) ?? Number.NaN) - (tookMs.get(id) ?? Number.NaN));
}
