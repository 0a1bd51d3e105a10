import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { findTimeline } from "../src/sends/send-timeline.ts";
import { testContentKeys } from "../test/send-builders.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { counterOf, type FeedbackCell, healthOf, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { type LedgerMail, readWholeLedger } from "./cell/ledger-tail.ts";
import { createRawAws } from "./cell/raw-aws.ts";
import { reportOnly } from "./cell/reported-events.ts";
import { changeSimulator } from "./cell/simulator-control.ts";
import { envelopeText, eventText } from "./feedback/event-texts.ts";
import { type DomainSenders, makeDomainSenders } from "./sends/domain-senders.ts";
import { queueSends } from "./sends/queued-sends.ts";
import { inParallel } from "./sends/sending-client.ts";
import { storeSentSends } from "./sends/sent-sends.ts";
import { until } from "./until.ts";

const fullSize = 500;
/** The number of queued messages ahead of each send behind the backlog. */
const backlogPerSend = 40;
const promptDomain = "prompt.test";
const lateDomain = "late.test";
const verifiedIdentities = [promptDomain, lateDomain];

export const proof: Proof = {
  promise:
    "A submission cut after acceptance is not repeated when a Send event reports it, and counted as doubled otherwise",
  covers: [...sendPath, "service/proofs/cell"],
  size: { small: 10, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const seconds =
      size < fullSize
        ? { wait: 5, most: 120, mostWithout: 1, late: 15 }
        : { wait: 5, most: 300, mostWithout: 6, late: 7 };
    const [withEvents, withoutEvents] = await Promise.all([
      withFeedbackCell(serverUrl, { verifiedIdentities }, (cell) => cutWithEvents(cell, size, seconds, progress)),
      withFeedbackCell(serverUrl, { verifiedIdentities }, (cell) => cutWithoutEvents(cell, size, seconds, progress)),
    ]);
    const { prompt, behind } = withEvents;
    const isProven = size < fullSize || behind.seconds > seconds.wait;
    return {
      figure:
        `${size} cut after acceptance with Send events on: ${describe(prompt)}; ${size} more behind ${behind.backlog} messages, ` +
        `with evidence up to ${behind.seconds.toFixed(1)} s late and a wait of ${seconds.wait} s, half of it out of order by ` +
        `${behind.delaySeconds} s: ${describe(behind)}; ${size} with Send events off: ${describe(withoutEvents)}, ` +
        `${withoutEvents.counted} counted by the metric, ${withoutEvents.shown} shown in their timelines`,
      holds:
        [prompt, behind].every((one) => one.lost + one.doubled + one.wrong === 0) &&
        isProven &&
        withoutEvents.lost + withoutEvents.wrong === 0 &&
        withoutEvents.doubled > 0 &&
        withoutEvents.counted === withoutEvents.doubled &&
        withoutEvents.shown === withoutEvents.doubled,
    };
  },
};

interface Seconds {
  wait: number;
  most: number;
  mostWithout: number;
  /** Evidence that comes after the resend, also when the worker shares its cores with other tests. */
  late: number;
}

interface Outcome {
  lost: number;
  doubled: number;
  /** Neither sent nor delivered in the end, or with a message id that none of its mails has. */
  wrong: number;
}

function describe({ lost, doubled, wrong }: Outcome): string {
  return `${lost} lost, ${doubled} doubled, ${wrong} with a wrong status or id`;
}

/** SES accepts every first attempt, then resets the connection before it answers. */
async function cutFirstAttempts({ simulator }: FeedbackCell): Promise<void> {
  const match = { tag: { name: "attempt", value: "1" } };
  await changeSimulator(simulator, "POST", "rules", { match, fault: { kind: "accept-then-reset" } });
}

async function delayEvents({ simulator }: FeedbackCell, delaySeconds: number): Promise<void> {
  const match = { fromDomain: lateDomain, tag: { name: "attempt", value: "1" } };
  await changeSimulator(simulator, "POST", "rules", { match, events: { delaySeconds } });
}

/** First with a backlog that exists before the worker starts, then without one. */
async function cutWithEvents(cell: FeedbackCell, size: number, seconds: Seconds, progress: ProofTools["progress"]) {
  const { db } = cell;
  const senders = await makeDomainSenders(db, verifiedIdentities);
  await cutFirstAttempts(cell);
  const delaySeconds = size < fullSize ? 0.2 : 1;
  await delayEvents(cell, delaySeconds);
  const backlog = await fillQueue(cell, senders, size * backlogPerSend, progress);
  await allowFullRate(db);
  const ids = await queueHalves(db, senders, size);
  await cell.start("worker", {
    IN_DOUBT_SECONDS: String(seconds.wait),
    IN_DOUBT_MAX_SECONDS: String(seconds.most),
  });
  await until("all are submitted", 60, async () => (await healthOf(cell.simulator)).accepted >= size, 20);
  const submittedAt = performance.now();
  await untilSettled(cell, progress);
  const lateSeconds = (performance.now() - submittedAt) / 1000;
  await untilEventsApplied(cell, progress);
  const behind = { ...(await outcomeOf(cell, ids)), backlog, seconds: lateSeconds, delaySeconds };

  const more = await queueHalves(db, senders, size);
  await untilSettled(cell, progress);
  await untilEventsApplied(cell, progress);
  return { behind, prompt: await outcomeOf(cell, more) };
}

/** Only Delivery events report a submission: for one half in time, for the other half after the resend. */
async function cutWithoutEvents(cell: FeedbackCell, size: number, seconds: Seconds, progress: ProofTools["progress"]) {
  const { db } = cell;
  const senders = await makeDomainSenders(db, verifiedIdentities);
  await reportOnly({ ...cell.simulator, topicArn: cell.topicArn }, (type) => type !== "SEND");
  await cutFirstAttempts(cell);
  await delayEvents(cell, seconds.late);
  const worker = await cell.start("worker", {
    IN_DOUBT_SECONDS: "1",
    IN_DOUBT_MAX_SECONDS: String(seconds.mostWithout),
  });
  await untilRateIsKnown(cell);
  const ids = await queueHalves(db, senders, size);
  await untilSettled(cell, progress);
  await until("every send is delivered", 120, async () => (await undelivered(db)) === 0, 50);
  await untilEventsApplied(cell, progress);
  const found = await outcomeOf(cell, ids);
  return {
    ...found,
    counted: await countDoubled(worker, found.doubled),
    shown: await countShownDoubled(db, senders, ids),
  };
}

/** The worker counts after its commit. */
async function countDoubled(worker: PosternProcess, expected: number): Promise<number> {
  const count = () => counterOf(worker, "postern_sends_doubled_total");
  await until("the worker has counted them", 10, async () => (await count()) >= expected).catch(() => undefined);
  return count();
}

async function queueHalves(db: Database, senders: DomainSenders, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (const sender of senders) {
    const count = sender.fromDomain === promptDomain ? Math.ceil(size / 2) : Math.floor(size / 2);
    ids.push(...(await queueSends(db, { ...sender, count, contentKey: testContentKeys.current })));
  }
  return ids;
}

/** Stores the rate that a worker reads at its start, so that the worker submits immediately. */
async function allowFullRate(db: Database): Promise<void> {
  await db.query({
    name: "allow-full-rate",
    text: `update provider_state set max_per_second = 5000 where mode = 'live'`,
  });
}

/** Sends the Send and Delivery events of mail that was submitted earlier. */
async function fillQueue(cell: FeedbackCell, senders: DomainSenders, count: number, progress: ProofTools["progress"]) {
  const { db, simulator, topicArn, queueUrl } = cell;
  const mails = await storeSentSends(db, { accountId: senders[0]?.accountId ?? "", count: count / 2 });
  const aws = createRawAws(simulator.url);
  let filled = 0;
  await inParallel(mails, 16, async (mail) => {
    const delivery = { type: "Delivery", at: mail.acceptedAt, recipients: mail.recipients } as const;
    for (const event of [{ type: "Send" } as const, delivery]) {
      await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(mail, event)));
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
  await until("no send is in the queue", 400, isSettled, 20);
}

async function untilEventsApplied(
  { simulator, queued }: FeedbackCell,
  progress: ProofTools["progress"],
): Promise<void> {
  const isApplied = async () => {
    const left = (await queued()) + (await healthOf(simulator)).pendingEvents;
    progress(`${left} events not applied`);
    return left === 0;
  };
  await until("all events are applied", 400, isApplied, 50);
}

async function undelivered(db: Database): Promise<number> {
  const [row] = await db.query<{ left: number }>({
    name: "undelivered",
    text: `select count(*) as left from sends where status <> 'delivered'`,
  });
  return row?.left ?? -1;
}

async function outcomeOf({ db, simulator }: FeedbackCell, ids: string[]): Promise<Outcome> {
  const mails = new Map<string, LedgerMail[]>(ids.map((id) => [id, []]));
  for (const mail of readWholeLedger(simulator)) mails.get(mail.sendId)?.push(mail);
  const rows = await db.query<{ id: string; status: string; messageId: string | null }>({
    name: "outcome-of",
    text: `
      select id, status, provider_message_id as "messageId"
      from sends
      where id = any($1::uuid[])`,
    values: [ids],
  });
  const isCorrect = ({ id, status, messageId }: (typeof rows)[number]) =>
    (status === "sent" || status === "delivered") && mails.get(id)?.some((mail) => mail.messageId === messageId);
  const copies = [...mails.values()].map((found) => found.length);
  return {
    lost: copies.filter((count) => count === 0).length,
    doubled: copies.filter((count) => count > 1).length,
    wrong: ids.length - rows.filter(isCorrect).length,
  };
}

/** Sends whose timeline names two mails. */
async function countShownDoubled(db: Database, senders: DomainSenders, ids: string[]): Promise<number> {
  let shown = 0;
  for (const id of ids) {
    for (const { accountId } of senders) {
      const timeline = await findTimeline(db.forAccount(accountId), { modes: ["live"], domain: undefined }, id);
      const accepted = timeline?.entries.filter((entry) => entry.type === "attempt" && entry.outcome === "accepted");
      if (new Set(accepted?.map((entry) => entry.type === "attempt" && entry.providerMessageId)).size > 1) shown += 1;
    }
  }
  return shown;
}
