import type { ProofTools } from "../../../scripts/proof.ts";
import type { Database } from "../../src/db/database.ts";
import type { PostgresBinaries } from "../../src/dev/postgres/embedded-postgres.ts";
import { readLastFailover } from "../../src/in-doubt/last-failover.ts";
import { holdByOperator, releaseByOperator } from "../../src/queue/operator-hold.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../../test/private-postgres.ts";
import { testContentKeys } from "../../test/send-builders.ts";
import type { PosternProcess } from "../../test/spawn-postern.ts";
import { createTemplate } from "../../test/template-database.ts";
import { type FeedbackCell, healthOf, withFeedbackCell } from "../cell/feedback-cell.ts";
import { type LedgerMail, readWholeLedger } from "../cell/ledger-tail.ts";
import { createRawAws } from "../cell/raw-aws.ts";
import { changeSimulator } from "../cell/simulator-control.ts";
import { envelopeText, eventText } from "../feedback/event-texts.ts";
import { startTcpSwitch, type TcpSwitch } from "../proxies/tcp-switch.ts";
import { type DomainSenders, makeDomainSenders } from "../sends/domain-senders.ts";
import { queueSends } from "../sends/queued-sends.ts";
import { inParallel } from "../sends/sending-client.ts";
import { until } from "../until.ts";
import { type FailoverResult, readResult, reportedBeforeDomain, reportedLaterDomain } from "./failover-result.ts";

/** A way to lose commits: the server after `switchOver` does not have the commits made since `diverge`. */
export type CommitLoss = (primary: PrivatePostgres) => Promise<{
  diverge(): Promise<void>;
  switchOver(fixture: {
    databaseSwitch: TcpSwitch;
    worker: PosternProcess;
    startWorker(): Promise<unknown>;
  }): Promise<void>;
  end(): Promise<void>;
}>;

const verifiedIdentities = [reportedBeforeDomain, reportedLaterDomain];

/** Sends mail, loses commits in this way while workers submit, and waits until every send is settled. */
export async function loseCommits(
  binaries: PostgresBinaries,
  { size, commitLoss, progress }: { size: number; commitLoss: CommitLoss; progress: ProofTools["progress"] },
): Promise<FailoverResult> {
  const primary = await startPrivatePostgres(binaries);
  const databaseSwitch = await startTcpSwitch(primary.port);
  try {
    await createTemplate(primary.url);
    const url = new URL(primary.url);
    url.port = String(databaseSwitch.port);
    const loss = await commitLoss(primary);
    try {
      return await withFeedbackCell(url.href, { verifiedIdentities, maxSendRate: size * 5 }, (cell) =>
        runScenario(cell, { size, databaseSwitch, loss, progress }),
      );
    } finally {
      await loss.end();
    }
  } finally {
    await databaseSwitch.close();
    await primary.stop();
  }
}

interface Scenario {
  size: number;
  databaseSwitch: TcpSwitch;
  loss: Awaited<ReturnType<CommitLoss>>;
  progress: ProofTools["progress"];
}

async function runScenario(
  cell: FeedbackCell,
  { size, databaseSwitch, loss, progress }: Scenario,
): Promise<FailoverResult> {
  // Long enough for the events that arrive after the switch.
  const inDoubtSettings = { IN_DOUBT_SECONDS: size < 50 ? "4" : "20", IN_DOUBT_MAX_SECONDS: "240" };
  const { db, simulator } = cell;
  const senders = await makeDomainSenders(db, verifiedIdentities);
  await changeSimulator(simulator, "POST", "rules", {
    match: { fromDomain: reportedLaterDomain },
    events: { copies: 0 },
  });
  const worker = await cell.start("worker", inDoubtSettings);
  const submitted = async (count: number) => {
    await until(`${count} are submitted`, 60, async () => (await healthOf(simulator)).accepted >= count, 20);
  };

  progress("sending before the copy");
  const sentBefore = await queueForEach(db, senders, size);
  await submitted(2 * size);
  // The copy has these as ready. After it is taken, the worker submits half of them and all sends that are queued later.
  await holdByOperator(db, "until the copy is taken");
  const ready = await queueForEach(db, senders, 2 * size);
  await shuffle(db, ready);
  await loss.diverge();
  const divergedAt = new Date().toISOString();
  progress("sending what the copy does not have");
  const queuedAfterCopy = await queueForEach(db, senders, size);
  await moveToFront(db, queuedAfterCopy);
  await releaseByOperator(db);
  await submitted(6 * size);
  progress("switching over");
  let current = worker;
  const startWorker = async () => {
    current = await cell.start("worker", inDoubtSettings);
  };
  await loss.switchOver({ databaseSwitch, worker, startWorker });
  const switchedAt = performance.now();
  await until("the database answers", 30, () => isReachable(db));
  await releaseByOperator(db);
  await current.logged("delivery.older-sends-in-doubt");
  const [newSend = ""] = await queueForEach(db, senders.slice(0, 1), 1);
  const ledger = readWholeLedger(simulator);
  const [newSendSeconds] = await Promise.all([
    until("a new send is submitted", 60, async () => (await mailsOf(cell, newSend)).length > 0, 20).then(
      () => (performance.now() - switchedAt) / 1000,
    ),
    reportLater(
      cell,
      ledger.filter(({ fromDomain }) => fromDomain === reportedLaterDomain),
    ),
  ]);
  await untilSettled(cell, senders, progress);
  const accepted = [...sentBefore, ...ready, ...queuedAfterCopy, newSend];
  const lostPeriod = ledger.filter(({ acceptedAt }) => acceptedAt >= divergedAt);
  return { ...(await readResult(cell, accepted, lostPeriod)), newSendSeconds };
}

async function queueForEach(db: Database, senders: DomainSenders, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (const sender of senders) {
    ids.push(...(await queueSends(db, { ...sender, count, contentKey: testContentKeys.current })));
  }
  return ids;
}

async function moveToFront(db: Database, ids: string[]): Promise<void> {
  await db.query({
    name: "move-to-front",
    text: `update send_queue set fair_at = fair_at - interval '1 hour' where id = any($1::uuid[])`,
    values: [ids],
  });
}

async function shuffle(db: Database, ids: string[]): Promise<void> {
  await db.query({
    name: "shuffle",
    text: `update send_queue set fair_at = fair_at - random() * interval '1 minute' where id = any($1::uuid[])`,
    values: [ids],
  });
}

async function isReachable(db: Database): Promise<boolean> {
  return db.query({ name: "is-reachable", text: "select" }).then(
    () => true,
    () => false,
  );
}

/** Sends the events late, as a slow SNS does: a Send event for one half, a Delivery event for the other. */
async function reportLater({ simulator, topicArn, queueUrl }: FeedbackCell, mails: LedgerMail[]): Promise<void> {
  const aws = createRawAws(simulator.url);
  await inParallel(mails.entries(), 16, async ([index, mail]) => {
    const delivery = { type: "Delivery", at: mail.acceptedAt, recipients: mail.recipients } as const;
    const event = index % 2 === 0 ? ({ type: "Send" } as const) : delivery;
    await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(mail, event)));
  });
  aws.close();
}

async function mailsOf({ simulator }: FeedbackCell, sendId: string): Promise<LedgerMail[]> {
  return readWholeLedger(simulator).filter((mail) => mail.sendId === sendId);
}

/** Queues new sends meanwhile: without their events, the absence of an event for an older send proves nothing. */
async function untilSettled(
  cell: FeedbackCell,
  senders: DomainSenders,
  progress: ProofTools["progress"],
): Promise<void> {
  const { db } = cell;
  await until(
    "no older send is in doubt",
    200,
    async () => {
      await queueForEach(db, senders.slice(0, 1), 1);
      const failover = await readLastFailover(db, 10_000);
      progress(`${failover?.inDoubt} in doubt`);
      return failover?.inDoubt === 0;
    },
    300,
  );
  await until("the queue is empty", 200, async () => {
    const [row] = await db.query<{ left: number }>({ name: "left", text: `select count(*) as left from send_queue` });
    progress(`${row?.left} in the queue`);
    return row?.left === 0;
  });
  await until("all events are applied", 60, async () => {
    return (await cell.queued()) + (await healthOf(cell.simulator)).pendingEvents === 0;
  });
}
