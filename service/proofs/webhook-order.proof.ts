import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { applyFeedback } from "../src/feedback/apply-feedback.ts";
import type { Feedback } from "../src/provider/feedback.ts";
import { type ClaimedSend, claimSends } from "../src/queue/claim-sends.ts";
import { markSent } from "../src/queue/settle-sends.ts";
import { fanOut } from "../src/webhooks/fan-out.ts";
import { anAccount } from "../test/builders.ts";
import { aQueuedSend, attemptOf, aVerifiedDomain } from "../test/send-builders.ts";
import { anEndpoint } from "../test/webhook-builders.ts";
import { withFeedbackCell } from "./cell/feedback-cell.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { inParallel } from "./sends/sending-client.ts";
import { messageIdOf, randomReports, shuffle } from "./webhooks/random-reports.ts";

const sendsPerRound = 100;
const appliers = 4;

export const proof: Proof = {
  promise:
    "A receiver of webhooks that keeps the highest `sequence` of each send ends with the status of the record, however notifications arrive",
  covers: [
    "service/migrations",
    "service/proofs/webhooks",
    "service/src/db",
    "service/src/feedback",
    "service/src/queue",
    "service/src/webhooks",
  ],
  size: { small: 200, full: 10_000 },
  run: async (size, { serverUrl, progress }) => {
    const seed = Date.now() % 2 ** 31;
    const dice = createDice(seed);
    return withFeedbackCell(serverUrl, { verifiedIdentities: [] }, async ({ db }) => {
      const accountId = await anAccount(db);
      await anEndpoint(db, { accountId });
      await reportAll(db, dice, { accountId, size, progress });
      while ((await fanOut(db, 200)).taken > 0) progress("notifications are rendered");
      const notifications = await readNotifications(db, accountId);
      const records = await readRecords(db, accountId);
      const arrivals = shuffle(
        dice,
        notifications.flatMap((one) => Array.from({ length: 1 + dice.roll(3) }, () => one)),
      );
      const byHighest = wrongStatuses(records, keepHighest(arrivals));
      const byLatest = wrongStatuses(records, new Map(arrivals.map((one) => [one.sendId, one])));
      const gaps = countGaps(notifications);
      return {
        figure:
          `${records.length} sends, ${notifications.length} notifications of reports in random order by ${appliers} connections, ` +
          `received ${arrivals.length} times in random order (seed ${seed}): ${byHighest} of ${records.length} end with another status, ` +
          `${gaps} numbers missing or twice. Control, a receiver that keeps the latest arrival: ${byLatest} wrong`,
        holds: records.length >= size && byHighest === 0 && gaps === 0 && byLatest > 0,
      };
    });
  },
};

interface Fixture {
  accountId: string;
  size: number;
  progress: ProofTools["progress"];
}

/** Settles the sends and applies their reports at the same time, in random order, so that some reports come before the answer of SES. */
async function reportAll(db: Database, dice: Dice, { accountId, size, progress }: Fixture): Promise<void> {
  const fromDomain = await aVerifiedDomain(db, accountId);
  for (let done = 0; done < size; done += sendsPerRound) {
    const sends = await claimRound(db, { accountId, fromDomain, prefix: `p-${done}` });
    const work = shuffle<Feedback | ClaimedSend>(dice, [
      ...sends,
      ...sends.flatMap((send) => randomReports(dice, send)),
    ]);
    await inParallel(work, appliers, async (one) => {
      await ("kind" in one ? applyFeedback(db, [one], Date.now()) : settle(db, one));
    });
    progress(`${done + sends.length} of ${size} sends reported`);
  }
}

function settle(db: Database, send: ClaimedSend) {
  return markSent(db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: messageIdOf(send) }]);
}

async function claimRound(
  db: Database,
  { accountId, fromDomain, prefix }: { accountId: string; fromDomain: string; prefix: string },
): Promise<ClaimedSend[]> {
  await inParallel(Array(sendsPerRound).keys(), appliers, async (number) => {
    const to = Array.from({ length: 1 + (number % 3) }, (_, index) => `${prefix}-${number}-${index}@example.io`);
    await aQueuedSend(db, { accountId, fromDomain, to });
  });
  const all = { mode: "live", maxSends: sendsPerRound, maxRecipients: 1_000, fromFairAt: "-infinity" } as const;
  return (await claimSends(db, { ...all, isProbe: true })).sends;
}

interface Received {
  sendId: string;
  sequence: number;
  status: string;
}

/** From the envelopes, as a receiver sees them. */
async function readNotifications(db: Database, accountId: string): Promise<Received[]> {
  const rows = await db.query<{ envelope: string }>({
    name: "read-envelopes",
    text: "select envelope from notifications where account_id = $1 and send_id is not null",
    values: [accountId],
  });
  return rows.map(({ envelope }) => {
    const { send, sequence } = JSON.parse(envelope).data as { send: { id: string; status: string }; sequence: number };
    return { sendId: send.id, status: send.status, sequence };
  });
}

function readRecords(db: Database, accountId: string) {
  return db.query<{ id: string; status: string }>({
    name: "read-records",
    text: "select id, status from sends where account_id = $1",
    values: [accountId],
  });
}

function keepHighest(arrivals: Received[]): Map<string, Received> {
  const kept = new Map<string, Received>();
  for (const one of arrivals) if (one.sequence > (kept.get(one.sendId)?.sequence ?? 0)) kept.set(one.sendId, one);
  return kept;
}

function wrongStatuses(records: { id: string; status: string }[], kept: Map<string, Received>): number {
  return records.filter(({ id, status }) => kept.get(id)?.status !== status).length;
}

function countGaps(notifications: Received[]): number {
  const bySend = Map.groupBy(notifications, ({ sendId }) => sendId);
  return [...bySend.values()].filter((ones) => {
    const numbers = ones.map(({ sequence }) => sequence).toSorted((a, b) => a - b);
    return numbers.some((number, index) => number !== index + 1);
  }).length;
}
