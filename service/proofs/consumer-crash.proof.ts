import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { anAccount } from "../test/builders.ts";
import { aVerifiedDomain, testContentKeys } from "../test/send-builders.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { type FeedbackCell, healthOf, killProcess, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { subscribePushEndpoint } from "./cell/push-endpoint.ts";
import { createRawAws } from "./cell/raw-aws.ts";
import { changeSimulator } from "./cell/simulator-control.ts";
import { envelopeText, eventText } from "./feedback/event-texts.ts";
import { expectedRecord, type ModelledSend } from "./feedback/expected-record.ts";
import { randomHistory } from "./feedback/mail-histories.ts";
import { describeDifferences, readRecord } from "./feedback/stored-record.ts";
import { startSqsProxy } from "./proxies/sqs-proxy.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { queueSends } from "./sends/queued-sends.ts";
import { inParallel } from "./sends/sending-client.ts";
import { storeSentSends } from "./sends/sent-sends.ts";
import { until } from "./until.ts";

const fullSize = 200;
const fromDomain = "shop.test";
/** SQS delivers a message at most ten times, so each kill needs several. */
const sendsPerKill = 8;
const lanes = 2;
/** Ten minutes on the simulator's clock take one second. */
const speed = 600;

export const proof: Proof = {
  promise: "A consumer killed between commit and delete, or an outage, loses no event and counts none twice",
  covers: [
    "service/migrations",
    "service/proofs/cell",
    "service/proofs/feedback",
    "service/src/db",
    "service/src/events",
    "service/src/feedback",
    "service/src/processes",
    "service/src/provider/ses/feedback",
    "service/src/suppressions",
  ],
  size: { small: 2, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const seed = Date.now() % 2 ** 31;
    return withFeedbackCell(serverUrl, { verifiedIdentities: [fromDomain] }, async (cell) => {
      const sends = await reportSends(cell, createDice(seed), size * sendsPerKill);
      const killed = await killConsumers(cell, size, progress);
      const processes = await Promise.all([cell.start("api"), cell.start("worker")]);
      await untilQueueEmpty(cell, progress);
      const difference = describeDifferences(expectedRecord(sends), await readRecord(cell.db));
      const [dead, quarantined, messages] = [await cell.deadLetters(), await countQuarantined(cell), killed.messages];
      const outage = await runOutage(cell, processes, size);
      return {
        figure:
          `${killed.kills} kills between commit and delete (${killed.unanswered} of them after SQS deleted), ${messages} messages ` +
          `about ${sends.length} sends (seed ${seed}): ${difference.text}; ${quarantined} in quarantine, ${dead} dead letters; ` +
          `worker and API down for ${outage.minutes.toFixed(0)} simulated minutes: of ${outage.sends} events the push endpoint lost ` +
          `${outage.pushesLost} and the queue lost ${outage.lost}`,
        holds:
          difference.isSame &&
          killed.kills === size &&
          dead + quarantined + outage.lost === 0 &&
          outage.minutes >= 10 &&
          outage.pushesLost === outage.sends,
      };
    });
  },
};

async function reportSends(cell: FeedbackCell, dice: Dice, count: number): Promise<ModelledSend[]> {
  const { db, simulator, topicArn, queueUrl } = cell;
  const accountId = await anAccount(db);
  const mails = await storeSentSends(db, { accountId, count, recipientsOf: () => 1 + dice.roll(3) });
  const sends = mails.map((mail) => ({ ...mail, accountId, reported: randomHistory(dice, mail) }));
  const aws = createRawAws(simulator.url);
  await inParallel(sends, 16, async (send) => {
    for (const event of send.reported) await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(send, event)));
  });
  aws.close();
  return sends;
}

/** Kills each consumer at its first delete request. */
async function killConsumers(cell: FeedbackCell, size: number, progress: ProofTools["progress"]) {
  const messages = await cell.queued();
  let [started, kills, unanswered] = [0, 0, 0];
  const lane = async () => {
    const proxy = await startSqsProxy(cell.simulator.url);
    try {
      while (started < size) {
        const outcome = started++ % 2 === 0 ? "unanswered" : "swallowed";
        let isDeleting = false;
        void proxy.catchDelete(outcome).then(() => {
          isDeleting = true;
        });
        const worker = await cell.start("worker", { AWS_ENDPOINT_URL_SQS: proxy.url });
        await until("the consumer deletes", 60, async () => isDeleting);
        await killProcess(worker);
        kills += 1;
        if (outcome === "unanswered") unanswered += 1;
        progress(`${kills} of ${size} kills`);
      }
    } finally {
      await proxy.close();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { kills, unanswered, messages };
}

async function untilQueueEmpty({ queued }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  const isEmpty = async () => {
    const left = await queued();
    progress(`${left} messages left`);
    return left === 0;
  };
  await until("the queue is empty", 300, isEmpty, 100);
}

async function countQuarantined({ db }: FeedbackCell): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-quarantined",
    text: `select count(*) as count from feedback_quarantine`,
  });
  return row?.count ?? -1;
}

/** Submits mail, then keeps both processes down until SES and SNS have reported it and given up. */
async function runOutage(cell: FeedbackCell, [api, worker]: [PosternProcess, PosternProcess], sends: number) {
  const { db, simulator } = cell;
  const accountId = await anAccount(db);
  await aVerifiedDomain(db, accountId, fromDomain);
  await changeSimulator(simulator, "POST", "rules", { events: { delaySeconds: 120, lost: ["Send"] } });
  await Promise.all([subscribePushEndpoint(cell, api.url), untilRateIsKnown(cell)]);
  const contentKey = testContentKeys.current;
  const ids = await queueSends(db, { accountId, fromDomain, count: sends, contentKey });
  await until("all are sent", 60, async () => (await countOf(cell, ids, "sent")) === sends);
  await Promise.all([killProcess(api), killProcess(worker)]);

  const started = performance.now();
  await changeSimulator(simulator, "PUT", "clock", { speed });
  await sleep((10 * 60_000) / speed);
  const isOver = async () => {
    const { pendingEvents, pendingPushes } = await healthOf(simulator);
    return pendingEvents + pendingPushes === 0;
  };
  await until("SNS gives up", 60, isOver);
  const minutes = ((performance.now() - started) * speed) / 60_000;
  await changeSimulator(simulator, "PUT", "clock", { speed: 1 });

  await cell.start("worker");
  await until("the queue is empty", 120, async () => (await cell.queued()) === 0);
  const { discardedBySns: pushesLost } = await healthOf(simulator);
  return { sends, minutes, pushesLost, lost: sends - (await countOf(cell, ids, "delivered")) };
}

async function countOf({ db }: FeedbackCell, ids: string[], status: string): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-of",
    text: `
      select count(*) as count
      from sends
      where id = any($1::uuid[])
        and status = $2`,
    values: [ids, status],
  });
  return row?.count ?? 0;
}
