import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { anAccount } from "../test/builders.ts";
import { aVerifiedDomain, testContentKeys } from "../test/send-builders.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { envelopeText, eventText } from "./event-texts.ts";
import { end, type FeedbackCell, healthOf, untilRateIsKnown, withFeedbackCell } from "./feedback-cell.ts";
import { describeDifferences, expectedRecord, type ModelledSend, readRecord } from "./feedback-model.ts";
import { fateOf } from "./mail-fates.ts";
import { openPushEndpoint } from "./push-endpoint.ts";
import { startQueueFront } from "./queue-front.ts";
import { queueSends } from "./queued-sends.ts";
import { createRawAws } from "./raw-aws.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { inParallel } from "./sending-client.ts";
import { storeSentSends } from "./sent-sends.ts";
import { changeSimulator } from "./simulator-control.ts";
import { until } from "./until.ts";

const fullSize = 200;
const fromDomain = "shop.test";
/** A message comes ten times at most, so there are many. */
const sendsPerKill = 8;
const lanes = 2;
/** Ten minutes of the provider pass in a second. */
const speed = 600;

export const proof: Proof = {
  promise: "A consumer killed between commit and delete loses no event and counts none twice; nor does an outage",
  size: { small: 2, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const seed = Date.now() % 2 ** 31;
    return withFeedbackCell(serverUrl, { verifiedIdentities: [fromDomain] }, async (cell) => {
      const sends = await tellOfSends(cell, createDice(seed), size * sendsPerKill);
      const killed = await killConsumers(cell, size, progress);
      const processes = await Promise.all([cell.start("api"), cell.start("worker")]);
      await untilAllTaken(cell, progress);
      const difference = describeDifferences(expectedRecord(sends), await readRecord(cell.db));
      const [dead, quarantined, again] = [await cell.deadLetters(), await countQuarantined(cell), killed.messages];
      const outage = await sitOutOutage(cell, processes, size);
      return {
        figure:
          `${killed.kills} kills between commit and delete (${killed.unanswered} of them after SQS had deleted), ${again} messages ` +
          `about ${sends.length} sends (seed ${seed}): ${difference.text}; ${quarantined} in quarantine, ${dead} dead letters; ` +
          `worker and API down for ${outage.minutes.toFixed(0)} simulated minutes: of ${outage.sends} events pushes lost ${outage.pushesLost}, ` +
          `the queue lost ${outage.lost}`,
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

async function tellOfSends(cell: FeedbackCell, dice: Dice, count: number): Promise<ModelledSend[]> {
  const { db, simulator, topicArn, queueUrl } = cell;
  const accountId = await anAccount(db);
  const mails = await storeSentSends(db, { accountId, count, recipientsOf: () => 1 + dice.roll(3) });
  const sends = mails.map((mail) => ({ ...mail, accountId, told: fateOf(dice, mail) }));
  const aws = createRawAws(simulator.url);
  await inParallel(sends, 16, async (send) => {
    for (const told of send.told) await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(send, told)));
  });
  aws.close();
  return sends;
}

/** Each life of a consumer ends at its first request to delete. */
async function killConsumers(cell: FeedbackCell, size: number, progress: ProofTools["progress"]) {
  const messages = await cell.queued();
  let [begun, kills, unanswered] = [0, 0, 0];
  const lane = async () => {
    const front = await startQueueFront(cell.simulator.url);
    try {
      while (begun < size) {
        const fate = begun++ % 2 === 0 ? "unanswered" : "swallowed";
        let isDeleting = false;
        void front.catchDelete(fate).then(() => {
          isDeleting = true;
        });
        const worker = await cell.start("worker", { AWS_ENDPOINT_URL_SQS: front.url });
        await until("the consumer deletes", 60, async () => isDeleting);
        await end(worker);
        kills += 1;
        if (fate === "unanswered") unanswered += 1;
        progress(`${kills} of ${size} kills`);
      }
    } finally {
      await front.close();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { kills, unanswered, messages };
}

async function untilAllTaken({ queued }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  const isTaken = async () => {
    const left = await queued();
    progress(`${left} messages left`);
    return left === 0;
  };
  await until("the queue is empty", 300, isTaken, 100);
}

async function countQuarantined({ db }: FeedbackCell): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-quarantined",
    text: `select count(*) as count from feedback_quarantine`,
  });
  return row?.count ?? -1;
}

/** Mail is handed over, then both processes are gone while everything that SES and SNS do about it happens. */
async function sitOutOutage(cell: FeedbackCell, [api, worker]: [PosternProcess, PosternProcess], sends: number) {
  const { db, simulator } = cell;
  const accountId = await anAccount(db);
  await aVerifiedDomain(db, accountId, fromDomain);
  await changeSimulator(simulator, "POST", "rules", { events: { delaySeconds: 120, lost: ["Send"] } });
  await Promise.all([openPushEndpoint(cell, api.url), untilRateIsKnown(cell)]);
  const contentKey = testContentKeys.current;
  const ids = await queueSends(db, { accountId, fromDomain, count: sends, contentKey });
  await until("all are sent", 60, async () => (await countOf(cell, ids, "sent")) === sends);
  await Promise.all([end(api), end(worker)]);

  const begun = performance.now();
  await changeSimulator(simulator, "PUT", "clock", { speed });
  await sleep((10 * 60_000) / speed);
  const isOver = async () => {
    const { pendingEvents, pendingPushes } = await healthOf(simulator);
    return pendingEvents + pendingPushes === 0;
  };
  await until("SNS has given up", 60, isOver);
  const minutes = ((performance.now() - begun) * speed) / 60_000;
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
