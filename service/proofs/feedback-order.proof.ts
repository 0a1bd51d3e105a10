import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { counterOf, type FeedbackCell, healthOf, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { openLedgerTail } from "./cell/ledger-tail.ts";
import { subscribePushEndpoint } from "./cell/push-endpoint.ts";
import { createRawAws } from "./cell/raw-aws.ts";
import { changeSimulator } from "./cell/simulator-control.ts";
import { expectedRecord, type ModelledSend } from "./feedback/expected-record.ts";
import { randomHistory, randomTexts } from "./feedback/mail-histories.ts";
import { describeDifferences, readRecord } from "./feedback/stored-record.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { createSendingClient, inParallel, makeSenders, senderDomain, type TestSender } from "./sends/sending-client.ts";
import { until } from "./until.ts";

const accounts = 10;
/** SES answers submissions of these domains slowly, so that events arrive before the worker commits `sent`. */
const slowDomains = [senderDomain(0), senderDomain(1)];
const publishers = 12;
const maxPendingPushes = 200;

export const proof: Proof = {
  promise: "Repeats, order and source of events do not change the record: it depends only on the set of events",
  covers: [
    "service/migrations",
    "service/proofs/cell",
    "service/proofs/feedback",
    "service/src/api/v1/feedback",
    "service/src/db",
    "service/src/events",
    "service/src/feedback",
    "service/src/provider/ses/feedback",
    "service/src/queue/confirm-submission.ts",
    "service/src/suppressions",
  ],
  size: { small: 20, full: 5_000 },
  run: async (size, { serverUrl, progress }) => {
    const seed = Date.now() % 2 ** 31;
    const dice = createDice(seed);
    const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const { db, simulator, apiKeyIssuer, loginDeps } = cell;
      const senders = await makeSenders(db, { apiKeyIssuer, loginDeps }, accounts, [100_000, 1_000_000, 6_000_000]);
      await disableSimulatorEvents(cell);
      const [api, worker] = await Promise.all([cell.start("api"), cell.start("worker")]);
      await Promise.all([subscribePushEndpoint(cell, api.url), untilRateIsKnown(cell)]);
      const started = performance.now();
      const fixture = { cell, senders, dice, size, progress };
      const [published] = await Promise.all([publishEverything(fixture), sendAll(fixture, api.url)]);
      await untilAllProcessed(cell, progress);
      const seconds = (performance.now() - started) / 1000;

      const difference = describeDifferences(expectedRecord(published.sends), await readRecord(db));
      const { discardedBySns } = await healthOf(simulator);
      const leftovers = await readLeftovers(cell);
      const [pushed, pulled] = await Promise.all(
        [api, worker].map((one) => counterOf(one, "postern_feedback_received_total")),
      );
      return {
        figure:
          `${size} sends, ${published.events} events reported ${published.texts} times (seed ${seed}), each through both sources ` +
          `(pushed ${pushed}, pulled ${pulled}), in ${seconds.toFixed(0)} s; ${leftovers.early} sends were reported before their worker had the answer; ` +
          `${difference.text}; ${leftovers.quarantined} in quarantine, ${leftovers.dead} dead letters, ${discardedBySns} pushes discarded`,
        holds:
          difference.isSame &&
          published.sends.length === size &&
          leftovers.early > 0 &&
          Math.min(pushed ?? 0, pulled ?? 0) >= published.texts &&
          leftovers.quarantined + leftovers.dead + discardedBySns === 0,
      };
    });
  },
};

interface Fixture {
  cell: FeedbackCell;
  senders: TestSender[];
  dice: Dice;
  size: number;
  progress: ProofTools["progress"];
}

/** The proof publishes the events itself, so that it controls their number and order. */
async function disableSimulatorEvents({ simulator }: FeedbackCell): Promise<void> {
  await changeSimulator(simulator, "POST", "rules", { events: { copies: 0 } });
  for (const fromDomain of slowDomains) {
    const fault = { kind: "slow-body", seconds: 1 };
    await changeSimulator(simulator, "POST", "rules", { match: { fromDomain }, fault });
  }
}

async function sendAll({ senders, dice, size, progress }: Fixture, apiUrl: string): Promise<void> {
  const client = createSendingClient(16);
  let accepted = 0;
  try {
    await inParallel(Array(size).keys(), 16, async (number) => {
      const sender = senders[number % senders.length] as TestSender;
      const to = Array.from({ length: 1 + dice.roll(4) }, (_, index) => `Person-${number}-${index}@example.io`);
      const { status } = await client.send(apiUrl, sender, { to });
      if (status !== 202) throw new Error(`a send was answered ${status}`);
      accepted += 1;
      progress(`${accepted} of ${size} accepted`);
    });
  } finally {
    client.close();
  }
}

/** Reads each mail from the ledger as soon as SES accepts it, and publishes the events of all mails in random order. */
async function publishEverything({ cell, senders, dice, size, progress }: Fixture) {
  const { simulator, topicArn } = cell;
  const aws = createRawAws(simulator.url);
  const tail = openLedgerTail(simulator);
  const accountIds = new Map(senders.map(({ accountId, from }) => [from.split("@")[1], accountId]));
  const sends: ModelledSend[] = [];
  const unpublished: string[] = [];
  const early: Promise<void>[] = [];
  let texts = 0;
  let isPushBacklogFull = false;
  const isDone = () => sends.length >= size && unpublished.length === 0;
  const publish = async (text: string) => {
    await aws.publish(topicArn, text);
    texts += 1;
    progress(`${texts} texts published, ${unpublished.length} to publish, ${sends.length} of ${size} mails read`);
  };
  const watch = async () => {
    for (; sends.length < size; await sleep(10)) {
      for (const mail of tail.next()) {
        const reported = randomHistory(dice, mail);
        sends.push({ ...mail, accountId: accountIds.get(mail.fromDomain) ?? "", reported });
        const all = randomTexts(dice, mail, reported);
        unpublished.push(...all);
        // Publishes one text immediately, while the worker still waits for the answer to its submission.
        if (slowDomains.includes(mail.fromDomain)) early.push(publish(all[dice.roll(all.length)] ?? ""));
      }
    }
    await Promise.all(early);
  };
  const watchBacklog = async () => {
    for (; !isDone(); await sleep(50)) isPushBacklogFull = (await healthOf(simulator)).pendingPushes > maxPendingPushes;
  };
  const lane = async () => {
    while (!isDone()) {
      if (isPushBacklogFull || unpublished.length === 0) await sleep(10);
      else await publish(takeRandom(dice, unpublished));
    }
  };
  try {
    await Promise.all([watch(), watchBacklog(), ...Array.from({ length: publishers }, lane)]);
  } finally {
    aws.close();
    tail.close();
  }
  return { sends, texts, events: sends.reduce((sum, { reported }) => sum + reported.length, 0) };
}

function takeRandom(dice: Dice, texts: string[]): string {
  const index = dice.roll(texts.length);
  const taken = texts[index] ?? "";
  const last = texts.pop() ?? "";
  if (index < texts.length) texts[index] = last;
  return taken;
}

async function untilAllProcessed({ simulator, queued }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  const isProcessed = async () => {
    const [inQueue, { pendingPushes }] = [await queued(), await healthOf(simulator)];
    progress(`${inQueue} in the queue, ${pendingPushes} pushes`);
    return inQueue + pendingPushes === 0;
  };
  await until("both sources are empty", 600, isProcessed, 100);
}

async function readLeftovers({ db, deadLetters }: FeedbackCell) {
  // The first attempt of a send has a row only when its evidence arrived before the answer.
  const [row] = await db.query<{ early: number; quarantined: number }>({
    name: "left-over",
    text: `
      select (select count(*) from send_attempts where attempt = 1 and outcome = 'accepted') as early,
        (select count(*) from feedback_quarantine) as quarantined`,
  });
  return { early: row?.early ?? 0, quarantined: row?.quarantined ?? -1, dead: await deadLetters() };
}
