import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { findTimeline } from "../src/sends/send-timeline.ts";
import { testContentKeys } from "../test/send-builders.ts";
import { envelopeText, eventText } from "./event-texts.ts";
import { counterOf, type FeedbackCell, healthOf, untilRateIsKnown, withFeedbackCell } from "./feedback-cell.ts";
import { type LedgerMail, readWholeLedger } from "./ledger-tail.ts";
import { queueSends } from "./queued-sends.ts";
import { createRawAws } from "./raw-aws.ts";
import { tellOnly } from "./reported-events.ts";
import { type DomainSenders, makeSendersOf } from "./senders-of-domains.ts";
import { inParallel } from "./sending-client.ts";
import { storeSentSends } from "./sent-sends.ts";
import { changeSimulator } from "./simulator-control.ts";
import { until } from "./until.ts";

const fullSize = 500;
/** For every send behind the backlog so many messages are in the queue before. */
const backlogPerSend = 40;
const quick = "quick.test";
const late = "late.test";
const verifiedIdentities = [quick, late];

export const proof: Proof = {
  promise: "A hand-over cut after acceptance is not repeated where Send events tell of it, and counted where none do",
  size: { small: 10, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const seconds = size < fullSize ? { wait: 5, most: 120, mostWithout: 1 } : { wait: 5, most: 300, mostWithout: 6 };
    const [told, untold] = await Promise.all([
      withFeedbackCell(serverUrl, { verifiedIdentities }, (cell) => cutWithEvents(cell, size, seconds, progress)),
      withFeedbackCell(serverUrl, { verifiedIdentities }, (cell) => cutWithoutEvents(cell, size, seconds, progress)),
    ]);
    const { prompt, behind } = told;
    const isProven = size < fullSize || behind.seconds > seconds.wait;
    return {
      figure:
        `${size} cut after acceptance with Send events on: ${describe(prompt)}; ${size} more behind ${behind.backlog} messages, ` +
        `their evidence up to ${behind.seconds.toFixed(1)} s late where ${seconds.wait} s are waited, half of it out of order by ` +
        `${behind.delaySeconds} s: ${describe(behind)}; ${size} with Send events off: ${describe(untold)}, ` +
        `${untold.counted} counted by the metric, ${untold.shown} shown in their timelines`,
      holds:
        [prompt, behind].every((one) => one.lost + one.doubled + one.wrong === 0) &&
        isProven &&
        untold.lost + untold.wrong === 0 &&
        untold.doubled > 0 &&
        untold.counted === untold.doubled &&
        untold.shown === untold.doubled,
    };
  },
};

interface Seconds {
  wait: number;
  most: number;
  mostWithout: number;
}

interface Aftermath {
  lost: number;
  doubled: number;
  /** Not sent in the end, or under the id of no mail of theirs. */
  wrong: number;
}

function describe({ lost, doubled, wrong }: Aftermath): string {
  return `${lost} lost, ${doubled} doubled, ${wrong} with a wrong status or id`;
}

/** Every first answer is lost together with its connection, after the mail was taken. */
async function cutFirstAttempts({ simulator }: FeedbackCell): Promise<void> {
  const match = { tag: { name: "attempt", value: "1" } };
  await changeSimulator(simulator, "POST", "rules", { match, fault: { kind: "accept-then-reset" } });
}

async function delayEvents({ simulator }: FeedbackCell, delaySeconds: number): Promise<void> {
  const match = { fromDomain: late, tag: { name: "attempt", value: "1" } };
  await changeSimulator(simulator, "POST", "rules", { match, events: { delaySeconds } });
}

/** First behind a backlog that is there before the worker is, then without one. */
async function cutWithEvents(cell: FeedbackCell, size: number, seconds: Seconds, progress: ProofTools["progress"]) {
  const { db } = cell;
  const senders = await makeSendersOf(db, verifiedIdentities);
  await cutFirstAttempts(cell);
  const delaySeconds = size < fullSize ? 0.2 : 1;
  await delayEvents(cell, delaySeconds);
  const backlog = await fillQueue(cell, senders, size * backlogPerSend, progress);
  await allowAllAtOnce(db);
  const ids = await queueHalves(db, senders, size);
  await cell.start("worker", {
    IN_DOUBT_SECONDS: String(seconds.wait),
    IN_DOUBT_MAX_SECONDS: String(seconds.most),
  });
  await until("all are handed over", 60, async () => (await healthOf(cell.simulator)).accepted >= size, 20);
  const submittedAt = performance.now();
  await untilSettled(cell, progress);
  const lateSeconds = (performance.now() - submittedAt) / 1000;
  await untilTaken(cell, progress);
  const behind = { ...(await aftermathOf(cell, ids)), backlog, seconds: lateSeconds, delaySeconds };

  const more = await queueHalves(db, senders, size);
  await untilSettled(cell, progress);
  await untilTaken(cell, progress);
  return { behind, prompt: await aftermathOf(cell, more) };
}

/** Nothing but a delivery tells of a hand-over: of one half in time, of the other after it was repeated. */
async function cutWithoutEvents(cell: FeedbackCell, size: number, seconds: Seconds, progress: ProofTools["progress"]) {
  const { db } = cell;
  const senders = await makeSendersOf(db, verifiedIdentities);
  await tellOnly({ ...cell.simulator, topicArn: cell.topicArn }, (type) => type !== "SEND");
  await cutFirstAttempts(cell);
  await delayEvents(cell, seconds.mostWithout + 1);
  const worker = await cell.start("worker", {
    IN_DOUBT_SECONDS: "1",
    IN_DOUBT_MAX_SECONDS: String(seconds.mostWithout),
  });
  await untilRateIsKnown(cell);
  const ids = await queueHalves(db, senders, size);
  await untilSettled(cell, progress);
  await until("every attempt is told of", 120, async () => (await undelivered(db)) === 0, 50);
  await untilTaken(cell, progress);
  const found = await aftermathOf(cell, ids);
  return {
    ...found,
    counted: await counterOf(worker, "postern_sends_doubled_total"),
    shown: await countShownDoubled(db, senders, ids),
  };
}

async function queueHalves(db: Database, senders: DomainSenders, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (const sender of senders) {
    const count = sender.fromDomain === quick ? Math.ceil(size / 2) : Math.floor(size / 2);
    ids.push(...(await queueSends(db, { ...sender, count, contentKey: testContentKeys.current })));
  }
  return ids;
}

/** What a worker learns when it starts, so that the first one begins at once. */
async function allowAllAtOnce(db: Database): Promise<void> {
  await db.query({
    name: "allow-all-at-once",
    text: `update provider_state set max_per_second = 5000 where mode = 'live'`,
  });
}

/** The Send and Delivery events of mail that was handed over before. */
async function fillQueue(cell: FeedbackCell, senders: DomainSenders, count: number, progress: ProofTools["progress"]) {
  const { db, simulator, topicArn, queueUrl } = cell;
  const mails = await storeSentSends(db, { accountId: senders[0]?.accountId ?? "", count: count / 2 });
  const aws = createRawAws(simulator.url);
  let filled = 0;
  await inParallel(mails, 16, async (mail) => {
    const delivery = { type: "Delivery", at: mail.acceptedAt, recipients: mail.recipients } as const;
    for (const told of [{ type: "Send" } as const, delivery]) {
      await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(mail, told)));
      filled += 1;
    }
    progress(`a backlog of ${filled}`);
  });
  aws.close();
  return filled;
}

async function untilSettled({ db }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  const isSettled = async () => {
    const [row] = await db.query<{ left: number }>({
      name: "still-queued",
      text: `select count(*) as left from send_queue`,
    });
    progress(`${row?.left} sends not settled`);
    return row?.left === 0;
  };
  await until("no send is on its way", 400, isSettled, 20);
}

async function untilTaken({ simulator, queued }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  const isTaken = async () => {
    const left = (await queued()) + (await healthOf(simulator)).pendingEvents;
    progress(`${left} events not taken`);
    return left === 0;
  };
  await until("all events are taken", 400, isTaken, 50);
}

async function undelivered(db: Database): Promise<number> {
  const [row] = await db.query<{ left: number }>({
    name: "undelivered",
    text: `select count(*) as left from sends where status <> 'delivered'`,
  });
  return row?.left ?? -1;
}

async function aftermathOf({ db, simulator }: FeedbackCell, ids: string[]): Promise<Aftermath> {
  const mails = new Map<string, LedgerMail[]>(ids.map((id) => [id, []]));
  for (const mail of readWholeLedger(simulator)) mails.get(mail.sendId)?.push(mail);
  const rows = await db.query<{ id: string; status: string; messageId: string | null }>({
    name: "aftermath",
    text: `
      select id, status, provider_message_id as "messageId"
      from sends
      where id = any($1::uuid[])`,
    values: [ids],
  });
  const isRight = ({ id, status, messageId }: (typeof rows)[number]) =>
    (status === "sent" || status === "delivered") && mails.get(id)?.some((mail) => mail.messageId === messageId);
  const copies = [...mails.values()].map((found) => found.length);
  return {
    lost: copies.filter((count) => count === 0).length,
    doubled: copies.filter((count) => count > 1).length,
    wrong: ids.length - rows.filter(isRight).length,
  };
}

/** Sends whose timeline names two mails. */
async function countShownDoubled(db: Database, senders: DomainSenders, ids: string[]): Promise<number> {
  let shown = 0;
  for (const id of ids) {
    for (const { accountId } of senders) {
      const timeline = await findTimeline(db.forAccount(accountId), "live", id);
      const accepted = timeline?.entries.filter((entry) => entry.type === "attempt" && entry.outcome === "accepted");
      if (new Set(accepted?.map((entry) => entry.type === "attempt" && entry.providerMessageId)).size > 1) shown += 1;
    }
  }
  return shown;
}
