import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { startPausingProxy } from "./proxies/pausing-proxy.ts";
import { createSendingClient, inParallel, makeSenders, type TestSender } from "./sends/sending-client.ts";

const fullSize = 300;
const maxRefusalMs = 1_000;
const maxRecoveryMs = 1_000;
/** Beside other tests these times say little. */
const [maxSmallRefusalMs, maxSmallRecoveryMs] = [6_000, 6_000];
const knownSenders = 5;
/** One request in so many is the first one of its key, which the API looks up before it reads the body. */
const firstUseEvery = 50;

export const proof: Proof = {
  promise:
    "While PostgreSQL does not answer, the API refuses sends within a second, and accepts them as soon as it is back",
  covers: [
    "service/proofs/proxies",
    "service/proofs/sends",
    "service/src/accept",
    "service/src/api",
    "service/src/db",
    "service/src/processes",
  ],
  size: { small: 50, full: fullSize },
  run: async (perSecond, { serverUrl, progress }) => {
    const isFull = perSecond === fullSize;
    const stalledSeconds = isFull ? 10 : 3;
    const proxy = await startPausingProxy(serverUrl);
    try {
      return await withApiProcesses(
        serverUrl,
        1,
        async ({ db, processes: [api], credentialDeps }) => {
          if (api === undefined) throw new Error("the API is missing");
          api.ignoreLogs();
          const [before, after] = isFull ? [2, 3] : [1, 2];
          const count = (before + stalledSeconds + after) * perSecond;
          const newSenders = Math.ceil(count / firstUseEvery);
          const senders = await makeSenders(db, credentialDeps, knownSenders + newSenders, [10_000, 100_000, 600_000]);
          const traffic = startTraffic(api.url, senders, { perSecond, count });
          progress("requests before the stall");
          await sleep(before * 1000);
          proxy.pause();
          const stalledAt = performance.now();
          progress(`PostgreSQL stalled for ${stalledSeconds} s`);
          await sleep(stalledSeconds * 1000);
          proxy.resume();
          const resumedAt = performance.now();
          const requests = await traffic;
          progress("repeating every refused request");
          await repeatRefused(api.url, requests);
          const stored = await countStored(db);
          return evaluate({ requests, stored, stalledAt, resumedAt, isFull });
        },
        proxy.urlOf,
      );
    } finally {
      await proxy.close();
    }
  },
};

interface SentRequest {
  sender: TestSender;
  key: string;
  startedAt: number;
  endedAt: number;
  status: number;
  hasRetryAfter: boolean;
  finalStatus: number;
}

/** At a fixed rate that does not wait for answers. */
async function startTraffic(
  url: string,
  senders: TestSender[],
  { perSecond, count }: { perSecond: number; count: number },
): Promise<SentRequest[]> {
  const client = createSendingClient(2_000);
  const begun = performance.now();
  const underWay: Promise<SentRequest>[] = [];
  const send = async (number: number, sender: TestSender): Promise<SentRequest> => {
    const startedAt = performance.now();
    const key = `mail-${number}`;
    const { status, retryAfterSeconds } = await client.send(url, sender, { idempotency_key: key });
    const hasRetryAfter = retryAfterSeconds !== undefined;
    return { sender, key, startedAt, endedAt: performance.now(), status, hasRetryAfter, finalStatus: status };
  };
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, begun + (number * 1000) / perSecond - performance.now()));
    const isFirstUse = number % firstUseEvery === firstUseEvery - 1;
    const position = isFirstUse ? knownSenders + Math.floor(number / firstUseEvery) : number % knownSenders;
    const sender = senders[position];
    if (sender === undefined) throw new Error("there are too few senders");
    underWay.push(send(number, sender));
  }
  const requests = await Promise.all(underWay);
  client.close();
  return requests;
}

/** As a caller does: with the same key, until the answer is another one. */
async function repeatRefused(url: string, requests: SentRequest[]): Promise<void> {
  const client = createSendingClient(20);
  await inParallel(
    requests.filter(({ status }) => status === 503),
    20,
    async (request) => {
      for (let tries = 0; tries < 20 && request.finalStatus === 503; tries++) {
        const { status } = await client.send(url, request.sender, { idempotency_key: request.key });
        request.finalStatus = status;
      }
    },
  );
  client.close();
}

async function countStored(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-sends",
    text: `select count(*)::integer as count from sends`,
  });
  return row?.count ?? 0;
}

interface Measured {
  requests: SentRequest[];
  stored: number;
  stalledAt: number;
  resumedAt: number;
  isFull: boolean;
}

function evaluate({ requests, stored, stalledAt, resumedAt, isFull }: Measured): Finding {
  const refused = requests.filter(({ status }) => status === 503);
  const delays = refused.map(({ startedAt, endedAt }) => endedAt - startedAt).toSorted((one, other) => one - other);
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  const firstMs =
    Math.min(...requests.flatMap(({ status, endedAt }) => (status === 202 && endedAt > resumedAt ? [endedAt] : []))) -
    resumedAt;
  const refusedAfter = refused.filter(({ startedAt }) => startedAt > resumedAt).length;
  const others = requests.filter(({ status }) => status !== 202 && status !== 503).length;
  const notStored = requests.filter(({ finalStatus }) => finalStatus !== 202).length;
  const doubled = stored - requests.length + notStored;
  const [refusalMs, recoveryMs] = isFull ? [maxRefusalMs, maxRecoveryMs] : [maxSmallRefusalMs, maxSmallRecoveryMs];
  return {
    figure:
      `${((resumedAt - stalledAt) / 1000).toFixed(0)} s stall, ${requests.length} requests: ${refused.length} answered 503, p50 ` +
      `${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, slowest ${at(0.9999).toFixed(0)} ms; first 202 ${firstMs.toFixed(0)} ms ` +
      `after the database was back, ${refusedAfter} refused after it; ${others} other answers; after repeating, ${notStored} mails ` +
      `were missing and ${doubled} doubled`,
    holds:
      refused.length > 0 &&
      refused.every(({ hasRetryAfter }) => hasRetryAfter) &&
      at(0.99) <= refusalMs &&
      firstMs <= recoveryMs &&
      others === 0 &&
      notStored === 0 &&
      doubled === 0,
  };
}
