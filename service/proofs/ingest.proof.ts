import { Agent, request } from "node:http";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { type FeedbackCell, withFeedbackCell } from "./cell/feedback-cell.ts";
import { createRawAws } from "./cell/raw-aws.ts";
import { cpuSecondsOf, postgresCpuSeconds } from "./cpu-times.ts";
import { envelopeText, eventText } from "./feedback/event-texts.ts";
import { inParallel } from "./sends/sending-client.ts";
import { storeSentSends } from "./sends/sent-sends.ts";

const fullSize = 40_000;
const aimPerSecond = 2_000;
const maxP99Ms = 50;
/** Stored events per message of the queue; a million at full size. */
const storedPerMessage = 25;
const storeBatchSize = 50_000;

export const proof: Proof = {
  promise: "One worker applies 2,000 events a second, and page 1 of a million events is returned within 50 ms",
  covers: [
    "service/migrations",
    "service/src/api/v1/events",
    "service/src/db",
    "service/src/events",
    "service/src/feedback",
    "service/src/provider/ses/feedback",
  ],
  size: { small: 200, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withFeedbackCell(serverUrl, {}, async (cell) => {
      const applied = await applyAll(cell, size, progress);
      const listed = await listFirstPage(cell, size * storedPerMessage, size < fullSize ? 30 : 1_000, progress);
      return {
        figure:
          `${size} messages from SQS by one worker, ${availableParallelism()} cores shared with PostgreSQL and the simulator: ` +
          `${applied.perSecond} a second (aim ${aimPerSecond}${applied.perSecond < aimPerSecond ? ", missed" : ""}), ${applied.events} of ` +
          `${size / 2} events recorded; seconds of CPU for 1000 messages: ${applied.cpu}; page 1 of ${listed.total} events with its total, ` +
          `n = ${listed.requests}: p50 ${listed.p50.toFixed(1)} ms, p99 ${listed.p99.toFixed(1)} ms; of one type ` +
          `p99 ${listed.typeP99.toFixed(1)} ms; ${listed.wrongTotals} wrong totals`,
        holds:
          applied.events === size / 2 &&
          listed.wrongTotals === 0 &&
          (size < fullSize || Math.max(listed.p99, listed.typeP99) < maxP99Ms),
      };
    }),
};

/** Fills the queue before the worker starts; every mail has a Send and a Delivery event. */
async function applyAll(cell: FeedbackCell, size: number, progress: ProofTools["progress"]) {
  const { db, simulator, topicArn, queueUrl, queued } = cell;
  const accountId = await anAccount(db);
  const mails = await storeSentSends(db, { accountId, count: size / 2 });
  const aws = createRawAws(simulator.url);
  await inParallel(mails, 16, async (mail) => {
    const delivery = { type: "Delivery", at: mail.acceptedAt, recipients: mail.recipients } as const;
    for (const event of [{ type: "Send" } as const, delivery]) {
      await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(mail, event)));
    }
  });
  aws.close();
  await db.query({ name: "analyze-sends", text: `analyze sends` });

  const { pid } = await cell.start("worker");
  const cpu = async () => [cpuSecondsOf(pid), await postgresCpuSeconds(db), cpuSecondsOf(process.pid)];
  const [started, before] = [performance.now(), await cpu()];
  const appliedBefore = size - (await queued());
  for (let left = size; left > 0; left = await queued()) {
    progress(`${left} of ${size} messages left`);
    await sleep(50);
  }
  const seconds = (performance.now() - started) / 1000;
  const after = await cpu();
  const [worker, postgres, own] = after.map((used, index) => {
    return ((used - (before[index] ?? 0)) / ((size - appliedBefore) / 1000)).toFixed(2);
  });
  return {
    perSecond: Math.round((size - appliedBefore) / seconds),
    events: await countEvents(db),
    cpu: `worker ${worker}, PostgreSQL ${postgres}, simulator and proof ${own}`,
  };
}

async function countEvents(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-events",
    text: `select count(*) as count from events`,
  });
  return row?.count ?? -1;
}

/** Reads the first page of an account without other data, over HTTP, one request after the other. */
async function listFirstPage(cell: FeedbackCell, count: number, requests: number, progress: ProofTools["progress"]) {
  const { accountId, accessToken } = await aLogin(cell.db, cell.loginDeps);
  for (let stored = 0; stored < count; stored += storeBatchSize) {
    await storeEvents(cell.db, accountId, stored, Math.min(storeBatchSize, count - stored));
    progress(`${stored} of ${count} events stored`);
  }
  const { url } = await cell.start("api");
  const agent = new Agent({ keepAlive: true });
  let wrongTotals = 0;
  const measure = async (query: string, total: number) => {
    const times: number[] = [];
    // Ten warm-up requests, which open connections and prepare plans.
    for (let made = -10; made < requests; made++) {
      const started = performance.now();
      const answer = await get(agent, `${url}/api/v1/events${query}`, accessToken);
      if (made >= 0) times.push(performance.now() - started);
      if (answer.data.pagination.total !== total || answer.data.events.length !== 50) wrongTotals += 1;
      progress(`${made} of ${requests} pages read`);
    }
    return times.toSorted((one, other) => one - other);
  };
  const all = await measure("", count);
  const bounces = await measure("?type=Bounce", Math.floor(count / 10));
  agent.destroy();
  const at = (times: number[], share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { total: count, requests, p50: at(all, 0.5), p99: at(all, 0.99), typeP99: at(bounces, 0.99), wrongTotals };
}

/** Every tenth event is a bounce. Two events a second, the newest with the current time. */
async function storeEvents(db: Database, accountId: string, from: number, count: number): Promise<void> {
  await db.query({
    name: "store-events",
    text: `
      insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype)
      select new_id_at(at), new_id_at(at), $1, 'live', case when is_bounce then 'Bounce' else 'Delivery' end, at,
        'to-' || number || '@example.test', case when is_bounce then 'Transient' end, case when is_bounce then 'General' end
      from generate_series($2::bigint, $2::bigint + $3::bigint - 1) as number
      cross join lateral (
        select now() - number * interval '500 milliseconds' as at, number % 10 = 9 as is_bounce
      ) as event`,
    values: [accountId, from, count],
  });
}

interface EventPage {
  data: { events: unknown[]; pagination: { total: number } };
}

function get(agent: Agent, url: string, accessToken: string): Promise<EventPage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, headers: { authorization: `Bearer ${accessToken}` } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${answer.statusCode}: ${text}`));
      });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
