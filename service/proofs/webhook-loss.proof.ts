import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { anAccount } from "../test/builders.ts";
import { testContentKeys } from "../test/send-builders.ts";
import { type FeedbackCell, withFeedbackCell } from "./cell/feedback-cell.ts";
import { binariesLike } from "./failover/postgres-copies.ts";
import { createDice } from "./seeded-random.ts";
import { storeSentSends } from "./sends/sent-sends.ts";
import { until } from "./until.ts";
import { type Arrivals, compareArrivals, failingReceiver, noArrivals } from "./webhooks/arrivals.ts";
import { type CrashPlan, startCrashingWorkers } from "./webhooks/crashes.ts";
import { hurryRetries } from "./webhooks/hurried-retries.ts";
import { aLoopbackEndpoint, type LoopbackReceiver, startLoopbackReceiver } from "./webhooks/loopback-receiver.ts";
import { loseOneDelivery } from "./webhooks/lost-delivery.ts";
import { applyUntilStored, deliveryAndBounce, reportedTypes, untilItWorks } from "./webhooks/reported-sends.ts";
import { type RestartingPostgres, startRestartingPostgres } from "./webhooks/restarting-postgres.ts";
import { countUndelivered, readEnvelopes } from "./webhooks/stored-envelopes.ts";

const fullSize = 20_000;
const endpoints = 3;
const sendsPerBatch = 50;

/** 100 kills: ten times four of one worker, three of both and a stop of PostgreSQL. */
const fullPlan: CrashPlan = {
  crashes: Array.from({ length: 10 }, (): CrashPlan["crashes"] => [
    ...(["one worker", "both workers", "one worker", "both workers"] as const),
    ...(["postgres", "one worker", "both workers", "one worker"] as const),
  ]).flat(),
  pauseMs: 5_000,
  waitSeconds: 90,
  endsLeasesOfKilled: false,
};
const smallPlan: CrashPlan = {
  crashes: ["postgres", "both workers"],
  pauseMs: 200,
  waitSeconds: 3,
  endsLeasesOfKilled: true,
};

export const proof: Proof = {
  promise:
    "Each notification reaches every endpoint, with the same id and bytes, although workers and PostgreSQL crash and receivers fail",
  covers: [
    "sdk/src/verify-webhook.ts",
    "service/migrations",
    "service/proofs/cell",
    "service/proofs/webhooks",
    "service/src/db",
    "service/src/feedback",
    "service/src/loops",
    "service/src/processes",
    "service/src/webhooks",
  ],
  size: { small: 150, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const postgres = await startRestartingPostgres(await binariesLike(serverUrl));
    const receivers: LoopbackReceiver[] = [];
    try {
      return await withFeedbackCell(postgres.url, { verifiedIdentities: [] }, async (cell) => {
        const isFull = size === fullSize;
        return evaluate(await deliverAll({ cell, postgres, receivers, size, isFull, progress }));
      });
    } finally {
      for (const receiver of receivers) receiver.close();
      await postgres.remove();
    }
  },
};

interface Fixture {
  cell: FeedbackCell;
  postgres: RestartingPostgres;
  receivers: LoopbackReceiver[];
  size: number;
  isFull: boolean;
  progress: ProofTools["progress"];
}

type Result = Awaited<ReturnType<typeof deliverAll>>;

async function deliverAll({ cell, postgres, receivers, size, isFull, progress }: Fixture) {
  const { db } = cell;
  const plan = isFull ? fullPlan : smallPlan;
  const seed = Date.now() % 2 ** 31;
  const control = await loseOneDelivery(db, receivers);
  const accountId = await anAccount(db);
  const arrivals: Arrivals[] = [];
  for (let number = 0; number < endpoints; number++) {
    arrivals.push(await addEndpoint(cell, receivers, { accountId, seed: seed + number, hangs: isFull ? 7 : 0 }));
  }
  const requests = () => arrivals.reduce((sum, one) => sum + one.requests, 0);
  const workers = startCrashingWorkers({ cell, postgres, plan, requests });
  const sendsPerCrash = Math.ceil(size / reportedTypes.length / plan.crashes.length);
  const retries = hurryRetries(db);
  try {
    await workers.run(async (number) => {
      await reportSends(cell, accountId, sendsPerCrash);
      progress(`${number + 1} of ${plan.crashes.length} crashes, ${requests()} requests`);
    });
    await until("everything is delivered", isFull ? 1_800 : 120, async () => {
      const left = await untilItWorks(() => countUndelivered(db));
      progress(`${left} deliveries left`);
      return left === 0;
    });
  } finally {
    await retries.stop();
  }
  return {
    ...workers.counts,
    seed,
    expected: sendsPerCrash * plan.crashes.length * reportedTypes.length,
    envelopes: await readEnvelopes(db, accountId),
    arrivals,
    control: await control.findings(),
    isFull,
  };
}

async function addEndpoint(
  { db }: FeedbackCell,
  receivers: LoopbackReceiver[],
  { accountId, seed, hangs }: { accountId: string; seed: number; hangs: number },
): Promise<Arrivals> {
  const arrivals = noArrivals();
  let secret = "";
  const receiver = await startLoopbackReceiver(
    failingReceiver(arrivals, { dice: createDice(seed), hangs, secret: () => secret }),
  );
  receivers.push(receiver);
  const { url } = receiver;
  ({ secret } = await aLoopbackEndpoint(db, { accountId, contentKeys: testContentKeys, types: reportedTypes, url }));
  return arrivals;
}

/** Real changes of state: the triggers of the tables write the notifications. */
async function reportSends({ db }: FeedbackCell, accountId: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += sendsPerBatch) {
    const batch = Math.min(sendsPerBatch, count - done);
    const mails = await untilItWorks(() => storeSentSends(db, { accountId, count: batch, recipientsOf: () => 2 }));
    await applyUntilStored(db, mails.flatMap(deliveryAndBounce));
  }
}

function evaluate({ kills, stops, duringRequests, seed, expected, envelopes, arrivals, control, isFull }: Result) {
  const compared = arrivals.map((one) => compareArrivals(envelopes, one));
  const total = (of: (one: Arrivals) => number) => arrivals.reduce((sum, one) => sum + of(one), 0);
  const missing = compared.reduce((sum, one) => sum + one.missing, 0);
  const different = compared.reduce((sum, one) => sum + one.different, 0);
  const duplicates = compared.reduce((sum, one) => sum + one.duplicates, 0);
  const unverified = total((one) => one.unverified);
  const [status500, closed] = [total(({ failed }) => failed.status500), total(({ failed }) => failed.closed)];
  const hung = total(({ failed }) => failed.hung);
  const requests = total((one) => one.requests);
  const share = Math.round(((status500 + closed + hung) / requests) * 100);
  return {
    figure:
      `${envelopes.size} notifications of ${expected} changes of state to ${endpoints} endpoints, workers killed ${kills} times, PostgreSQL ` +
      `stopped ${stops} times, ${duringRequests} times during an attempt (seed ${seed}): ${missing} missing, ${different} with another id or other bytes, ${unverified} with a wrong ` +
      `signature, ${duplicates} received twice; ${requests} requests, of which ${share} % failed (${status500} answered 500, ${closed} closed, ` +
      `${hung} hung). Control, one delivery deleted and one byte changed: ${control.missing} missing, ${control.refused} refused`,
    holds:
      envelopes.size === expected &&
      missing + different + unverified === 0 &&
      kills === (isFull ? 100 : 2) &&
      stops === (isFull ? 10 : 1) &&
      duringRequests > 0 &&
      share >= 20 &&
      control.missing === 1 &&
      control.refused === 1,
  };
}
