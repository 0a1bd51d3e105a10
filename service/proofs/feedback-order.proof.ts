import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { counterOf, type FeedbackCell, healthOf, untilRateIsKnown, withFeedbackCell } from "./feedback-cell.ts";
import { describeDifferences, expectedRecord, type ModelledSend, readRecord } from "./feedback-model.ts";
import { openLedgerTail } from "./ledger-tail.ts";
import { fateOf, textsOf } from "./mail-fates.ts";
import { openPushEndpoint } from "./push-endpoint.ts";
import { createRawAws } from "./raw-aws.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { createSendingClient, inParallel, makeSenders, senderDomain, type TestSender } from "./sending-client.ts";
import { changeSimulator } from "./simulator-control.ts";
import { until } from "./until.ts";

const accounts = 10;
/** Answers to hand-overs of these are slow, so that events about their mail come before `sent` is committed. */
const slowDomains = [senderDomain(0), senderDomain(1)];
const publishers = 12;
const mostOnTheirWay = 200;

export const proof: Proof = {
  promise: "However often, in whatever order and through which door events come, the record is that of their set",
  size: { small: 20, full: 5_000 },
  run: async (size, { serverUrl, progress }) => {
    const seed = Date.now() % 2 ** 31;
    const dice = createDice(seed);
    const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const { db, simulator, apiKeyIssuer, loginDeps } = cell;
      const senders = await makeSenders(db, { apiKeyIssuer, loginDeps }, accounts, [100_000, 1_000_000, 6_000_000]);
      await silenceSimulator(cell);
      const [api, worker] = await Promise.all([cell.start("api"), cell.start("worker")]);
      await Promise.all([openPushEndpoint(cell, api.url), untilRateIsKnown(cell)]);
      const begun = performance.now();
      const stage = { cell, senders, dice, size, progress };
      const [published] = await Promise.all([tellEverything(stage), sendAll(stage, api.url)]);
      await untilAllTaken(cell, progress);
      const seconds = (performance.now() - begun) / 1000;

      const difference = describeDifferences(expectedRecord(published.sends), await readRecord(db));
      const { discardedBySns } = await healthOf(simulator);
      const rest = await leftOver(cell);
      const [pushed, pulled] = await Promise.all(
        [api, worker].map((one) => counterOf(one, "postern_feedback_received_total")),
      );
      return {
        figure:
          `${size} sends, ${published.events} events told ${published.texts} times (seed ${seed}), each through both doors ` +
          `(pushed ${pushed}, pulled ${pulled}), in ${seconds.toFixed(0)} s; ${rest.early} sends were told of before their worker had the answer; ` +
          `${difference.text}; ${rest.quarantined} in quarantine, ${rest.dead} dead letters, ${discardedBySns} pushes given up`,
        holds:
          difference.isSame &&
          published.sends.length === size &&
          rest.early > 0 &&
          Math.min(pushed ?? 0, pulled ?? 0) >= published.texts &&
          rest.quarantined + rest.dead + discardedBySns === 0,
      };
    });
  },
};

interface Stage {
  cell: FeedbackCell;
  senders: TestSender[];
  dice: Dice;
  size: number;
  progress: ProofTools["progress"];
}

/** The proof tells itself what becomes of the mail, so that it decides how often and in which order. */
async function silenceSimulator({ simulator }: FeedbackCell): Promise<void> {
  await changeSimulator(simulator, "POST", "rules", { events: { copies: 0 } });
  for (const fromDomain of slowDomains) {
    const fault = { kind: "slow-body", seconds: 1 };
    await changeSimulator(simulator, "POST", "rules", { match: { fromDomain }, fault });
  }
}

async function sendAll({ senders, dice, size, progress }: Stage, apiUrl: string): Promise<void> {
  const client = createSendingClient(16);
  let accepted = 0;
  try {
    await inParallel(Array(size).keys(), 16, async (number) => {
      const sender = senders[number % senders.length] as TestSender;
      const to = Array.from({ length: 1 + dice.roll(4) }, (_, place) => `Person-${number}-${place}@example.io`);
      const { status } = await client.send(apiUrl, sender, { to });
      if (status !== 202) throw new Error(`a send was answered ${status}`);
      accepted += 1;
      progress(`${accepted} of ${size} accepted`);
    });
  } finally {
    client.close();
  }
}

/** Takes each mail from the ledger as soon as SES has it, and publishes what is told of all of them in random order. */
async function tellEverything({ cell, senders, dice, size, progress }: Stage) {
  const { simulator, topicArn } = cell;
  const aws = createRawAws(simulator.url);
  const tail = openLedgerTail(simulator);
  const accountIds = new Map(senders.map(({ accountId, from }) => [from.split("@")[1], accountId]));
  const sends: ModelledSend[] = [];
  const untold: string[] = [];
  const early: Promise<void>[] = [];
  let texts = 0;
  let isJammed = false;
  const isOver = () => sends.length >= size && untold.length === 0;
  const tell = async (text: string) => {
    await aws.publish(topicArn, text);
    texts += 1;
    progress(`${texts} texts published, ${untold.length} to go, ${sends.length} of ${size} mails taken`);
  };
  const watch = async () => {
    for (; sends.length < size; await sleep(10)) {
      for (const mail of tail.next()) {
        const told = fateOf(dice, mail);
        sends.push({ ...mail, accountId: accountIds.get(mail.fromDomain) ?? "", told });
        const all = textsOf(dice, mail, told);
        untold.push(...all);
        // One of them at once, while the worker still waits for the answer to this hand-over.
        if (slowDomains.includes(mail.fromDomain)) early.push(tell(all[dice.roll(all.length)] ?? ""));
      }
    }
    await Promise.all(early);
  };
  const lookAhead = async () => {
    for (; !isOver(); await sleep(50)) isJammed = (await healthOf(simulator)).pendingPushes > mostOnTheirWay;
  };
  const lane = async () => {
    while (!isOver()) {
      if (isJammed || untold.length === 0) await sleep(10);
      else await tell(takeAny(dice, untold));
    }
  };
  try {
    await Promise.all([watch(), lookAhead(), ...Array.from({ length: publishers }, lane)]);
  } finally {
    aws.close();
    tail.close();
  }
  return { sends, texts, events: sends.reduce((sum, { told }) => sum + told.length, 0) };
}

function takeAny(dice: Dice, texts: string[]): string {
  const place = dice.roll(texts.length);
  const taken = texts[place] ?? "";
  const last = texts.pop() ?? "";
  if (place < texts.length) texts[place] = last;
  return taken;
}

async function untilAllTaken({ simulator, queued }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  const isTaken = async () => {
    const [inQueue, { pendingPushes }] = [await queued(), await healthOf(simulator)];
    progress(`${inQueue} in the queue, ${pendingPushes} pushes`);
    return inQueue + pendingPushes === 0;
  };
  await until("both doors have taken everything", 600, isTaken, 100);
}

async function leftOver({ db, deadLetters }: FeedbackCell) {
  // The first attempt of a send has a row only when its evidence came before its answer.
  const [row] = await db.query<{ early: number; quarantined: number }>({
    name: "left-over",
    text: `
      select (select count(*) from send_attempts where attempt = 1 and outcome = 'accepted') as early,
        (select count(*) from feedback_quarantine) as quarantined`,
  });
  return { early: row?.early ?? 0, quarantined: row?.quarantined ?? -1, dead: await deadLetters() };
}
