import type { ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import type { PostgresBinaries } from "../src/dev/embedded-postgres.ts";
import { listUnknownSends } from "../src/feedback/quarantine-store.ts";
import { readLastFailover } from "../src/in-doubt/last-failover.ts";
import { holdByOperator, releaseByOperator } from "../src/queue/operator-hold.ts";
import { failoverWhileQueued, failoverWhileSubmitting } from "../src/sends/attempt-details.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../test/private-postgres.ts";
import { testContentKeys } from "../test/send-builders.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { createTemplate } from "../test/template-database.ts";
import { envelopeText, eventText } from "./event-texts.ts";
import { type FeedbackCell, healthOf, withFeedbackCell } from "./feedback-cell.ts";
import { type LedgerMail, readWholeLedger } from "./ledger-tail.ts";
import { queueSends } from "./queued-sends.ts";
import { createRawAws } from "./raw-aws.ts";
import { type DomainSenders, makeSendersOf } from "./senders-of-domains.ts";
import { inParallel } from "./sending-client.ts";
import { changeSimulator } from "./simulator-control.ts";
import { startTcpSwitch, type TcpSwitch } from "./tcp-switch.ts";
import { until } from "./until.ts";

/** How a server loses what it knew: from `diverge` on nothing that happens is known after `switchOver`. */
export type Loss = (primary: PrivatePostgres) => Promise<{
  diverge(): Promise<void>;
  switchOver(stage: { door: TcpSwitch; worker: PosternProcess; startWorker(): Promise<unknown> }): Promise<void>;
  end(): Promise<void>;
}>;

export interface Aftermath {
  cause: string;
  known: number;
  lost: number;
  /** Handed over in the lost time and in doubt afterwards; told of after the change, or at once, mostly on the lost server. */
  told: number;
  toldDoubled: number;
  untold: number;
  untoldDoubled: number;
  /** Doubled, and their record does not say why. */
  unlisted: number;
  /** Accepted and handed over in the lost time, so that no record is left; of those that were told of, how many are listed. */
  gone: number;
  goneTold: number;
  goneListed: number;
  newSendSeconds: number;
}

/** Events of the first come at once, and are applied on the server that dies; those of the second come after the change. */
const [untoldDomain, toldDomain] = ["at-once.test", "afterwards.test"];
const verifiedIdentities = [untoldDomain, toldDomain];

export async function loseSomeTime(
  binaries: PostgresBinaries,
  { size, loss, progress }: { size: number; loss: Loss; progress: ProofTools["progress"] },
): Promise<Aftermath> {
  const primary = await startPrivatePostgres(binaries);
  const door = await startTcpSwitch(primary.port);
  try {
    await createTemplate(primary.url);
    const url = new URL(primary.url);
    url.port = String(door.port);
    const losing = await loss(primary);
    try {
      return await withFeedbackCell(url.href, { verifiedIdentities, maxSendRate: size * 5 }, (cell) =>
        play(cell, { size, door, losing, progress }),
      );
    } finally {
      await losing.end();
    }
  } finally {
    await door.close();
    await primary.stop();
  }
}

interface Scene {
  size: number;
  door: TcpSwitch;
  losing: Awaited<ReturnType<Loss>>;
  progress: ProofTools["progress"];
}

async function play(cell: FeedbackCell, { size, door, losing, progress }: Scene): Promise<Aftermath> {
  // Time enough to tell what is told afterwards.
  const doubtSeconds = { IN_DOUBT_SECONDS: size < 50 ? "4" : "20", IN_DOUBT_MAX_SECONDS: "240" };
  const { db, simulator } = cell;
  const senders = await makeSendersOf(db, verifiedIdentities);
  await changeSimulator(simulator, "POST", "rules", { match: { fromDomain: toldDomain }, events: { copies: 0 } });
  const worker = await cell.start("worker", doubtSeconds);
  const submitted = async (count: number) => {
    await until(`${count} are handed over`, 60, async () => (await healthOf(simulator)).accepted >= count, 20);
  };

  progress("before");
  const sentBefore = await queueForEach(db, senders, size);
  await submitted(2 * size);
  // The copy knows these as ready; in the time that it does not know of half of them are handed over, and all that is new.
  await holdByOperator(db, "until the copy has them");
  const ready = await queueForEach(db, senders, 2 * size);
  await shuffle(db, ready);
  await losing.diverge();
  const divergedAt = new Date().toISOString();
  progress("the lost time");
  const inLostTime = await queueForEach(db, senders, size);
  await goFirst(db, inLostTime);
  await releaseByOperator(db);
  await submitted(6 * size);
  progress("switching over");
  let current = worker;
  const startWorker = async () => {
    current = await cell.start("worker", doubtSeconds);
  };
  await losing.switchOver({ door, worker, startWorker });
  const switchedAt = performance.now();
  await until("the database answers", 30, () => isBack(db));
  await releaseByOperator(db);
  await current.logged("delivery.older-sends-in-doubt");
  const [newSend = ""] = await queueForEach(db, senders.slice(0, 1), 1);
  const handed = readWholeLedger(simulator);
  const [newSendSeconds] = await Promise.all([
    until("a new send is handed over", 60, async () => (await mailsOf(cell, newSend)).length > 0, 20).then(
      () => (performance.now() - switchedAt) / 1000,
    ),
    tellAfterwards(
      cell,
      handed.filter(({ fromDomain }) => fromDomain === toldDomain),
    ),
  ]);
  await untilSettled(cell, senders, progress);
  const accepted = [...sentBefore, ...ready, ...inLostTime, newSend];
  const lostTime = handed.filter(({ acceptedAt }) => acceptedAt >= divergedAt);
  return { ...(await aftermathOf(cell, accepted, lostTime)), newSendSeconds };
}

async function queueForEach(db: Database, senders: DomainSenders, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (const sender of senders) {
    ids.push(...(await queueSends(db, { ...sender, count, contentKey: testContentKeys.current })));
  }
  return ids;
}

async function goFirst(db: Database, ids: string[]): Promise<void> {
  await db.query({
    name: "go-first",
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

async function isBack(db: Database): Promise<boolean> {
  return db.query({ name: "is-back", text: "select" }).then(
    () => true,
    () => false,
  );
}

/** As if SNS had been slow: half of them only by their delivery. */
async function tellAfterwards({ simulator, topicArn, queueUrl }: FeedbackCell, mails: LedgerMail[]): Promise<void> {
  const aws = createRawAws(simulator.url);
  await inParallel(mails.entries(), 16, async ([index, mail]) => {
    const delivery = { type: "Delivery", at: mail.acceptedAt, recipients: mail.recipients } as const;
    const told = index % 2 === 0 ? ({ type: "Send" } as const) : delivery;
    await aws.sendMessage(queueUrl, envelopeText(topicArn, eventText(mail, told)));
  });
  aws.close();
}

async function mailsOf({ simulator }: FeedbackCell, sendId: string): Promise<LedgerMail[]> {
  return readWholeLedger(simulator).filter((mail) => mail.sendId === sendId);
}

/** New sends go on meanwhile: it is their events that make silence mean something. */
async function untilSettled(
  cell: FeedbackCell,
  senders: DomainSenders,
  progress: ProofTools["progress"],
): Promise<void> {
  const { db } = cell;
  await until(
    "no send of before is on its way",
    200,
    async () => {
      await queueForEach(db, senders.slice(0, 1), 1);
      const change = await readLastFailover(db, 10_000);
      progress(`${change?.inDoubt} in doubt`);
      return change?.inDoubt === 0;
    },
    300,
  );
  await until("the queue is empty", 200, async () => {
    const [row] = await db.query<{ left: number }>({ name: "left", text: `select count(*) as left from send_queue` });
    progress(`${row?.left} on their way`);
    return row?.left === 0;
  });
  await until("all events are taken", 60, async () => {
    return (await cell.queued()) + (await healthOf(cell.simulator)).pendingEvents === 0;
  });
}

async function aftermathOf(cell: FeedbackCell, accepted: string[], lostTime: LedgerMail[]) {
  const { db, simulator } = cell;
  const copies = new Map<string, number>();
  for (const { sendId } of readWholeLedger(simulator)) copies.set(sendId, (copies.get(sendId) ?? 0) + 1);
  const known = new Set(await idsIn(db, `select id from sends`));
  const listedIn = new Set((await listUnknownSends(db, 100_000)).map(({ sendId }) => sendId));
  const explained = new Set(
    await idsIn(db, `select send_id as id from send_attempts where detail = any($1::text[])`, [
      failoverWhileQueued,
      failoverWhileSubmitting,
    ]),
  );
  const recorded = new Set(await idsIn(db, `select distinct send_id as id from send_attempts`));
  const isDoubled = (id: string) => (copies.get(id) ?? 0) > 1;
  const handedIn = (domain: string, isKnown: boolean) =>
    [...new Set(lostTime.filter((mail) => mail.fromDomain === domain).map(({ sendId }) => sendId))].filter(
      (id) => known.has(id) === isKnown,
    );
  // Those whose settlement was copied too are known to be sent, and nothing of them is in doubt.
  const told = handedIn(toldDomain, true).filter((id) => explained.has(id) || isDoubled(id));
  const untold = handedIn(untoldDomain, true).filter((id) => explained.has(id) || isDoubled(id));
  const goneTold = handedIn(toldDomain, false);
  return {
    cause: (await readLastFailover(db, 1))?.cause ?? "nothing",
    known: accepted.filter((id) => known.has(id)).length,
    lost: [...known].filter((id) => !copies.has(id)).length,
    told: told.length,
    toldDoubled: told.filter(isDoubled).length,
    untold: untold.length,
    untoldDoubled: untold.filter(isDoubled).length,
    unlisted: [...known].filter((id) => isDoubled(id) && !recorded.has(id)).length,
    gone: goneTold.length + handedIn(untoldDomain, false).length,
    goneTold: goneTold.length,
    goneListed: goneTold.filter((id) => listedIn.has(id)).length,
  };
}

async function idsIn(db: Database, text: string, details?: string[]): Promise<string[]> {
  const values = details === undefined ? [] : [details];
  return (await db.query<{ id: string }>({ name: `ids ${text.length}`, text, values })).map(({ id }) => id);
}
