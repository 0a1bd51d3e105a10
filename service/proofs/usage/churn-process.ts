import { randomUUIDv7 } from "node:crypto";
import { createAcceptBatch } from "../../src/accept/accept-batch.ts";
import { openDatabaseClock } from "../../src/db/database-clock.ts";
import { applyFeedback } from "../../src/feedback/apply-feedback.ts";
import { markExpiredLeasesInDoubt } from "../../src/in-doubt/expired-leases.ts";
import { failInDoubt } from "../../src/in-doubt/resolve-in-doubt.ts";
import { cancelSends } from "../../src/queue/cancel-sends.ts";
import { type ClaimedSend, claimSends } from "../../src/queue/claim-sends.ts";
import { findFailed, retryFailed } from "../../src/queue/retry-failed.ts";
import { markFailed, markInDoubt, markSent, markSuppressed, retryLater } from "../../src/queue/settle-sends.ts";
import { foldUsage } from "../../src/usage/usage-chores.ts";
import { aCandidate } from "../../test/a-candidate.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { createDice } from "../seeded-random.ts";
import { messageIdOf, randomReports } from "./random-reports.ts";

export interface ChurnSender {
  accountId: string;
  domains: string[];
  apiKeyId: string;
}

/**
 * Accepts, claims, settles, reports, cancels, retries and folds until it is killed, with the functions of the API and the worker. Its
 * arguments are the database, a seed and the senders. Sends its parent the number of reports that it applied.
 */
const [url = "", seed = "", senders = ""] = process.argv.slice(2);
const dice = createDice(Number(seed));
const accounts = JSON.parse(senders) as ChurnSender[];
const db = openTestDatabase(url);
const decide = createAcceptBatch(db, await openDatabaseClock(db));
process.on("disconnect", () => process.exit(0));

for (;;) {
  await accept();
  await settle(await claim());
  await report();
  if (dice.roll(4) === 0) await operate();
  if (dice.roll(3) === 0) await foldUsage(db, 1_000);
}

async function accept(): Promise<void> {
  const candidates = Array.from({ length: 30 }, () => {
    const { accountId, domains, apiKeyId } = pick(accounts);
    const count = 1 + dice.roll(3);
    // Few addresses, so that many are soon suppressed.
    const recipients = [...new Set(Array.from({ length: count }, () => `r${dice.roll(400)}@x${dice.roll(2)}.test`))];
    const candidate = aCandidate({ id: randomUUIDv7(), accountId, domain: pick(domains), recipients });
    if (candidate.send !== undefined && dice.roll(2) === 0) {
      candidate.send.idempotencyHash = Buffer.alloc(16, `${accountId.slice(-4)}${dice.roll(100_000)}`);
    }
    return { ...candidate, apiKeyId: dice.roll(2) === 0 ? apiKeyId : undefined };
  });
  await Promise.all(candidates.map(decide));
}

async function claim(): Promise<ClaimedSend[]> {
  const limits = { maxSends: 40, maxRecipients: 200, fromFairAt: "-infinity", isProbe: false };
  return (await claimSends(db, { mode: "live", ...limits })).sends;
}

async function settle(sends: ClaimedSend[]): Promise<void> {
  const made = sends.map((send) => ({ send, sendId: send.id, attempt: send.attempt, startedAt: send.attemptedAt }));
  const suppressed = made.filter(({ send }) => send.recipients.length === 0);
  const others = made
    .filter(({ send }) => send.recipients.length > 0)
    .map((one) => ({ ...one, chance: dice.roll(10) }));
  const having = (from: number, to: number) => others.filter(({ chance }) => chance >= from && chance < to);
  const failure = { outcome: "refused", code: "PROVIDER_REJECTED", message: "no" } as const;
  await markSuppressed(
    db,
    suppressed.map((one) => ({ ...one, outcome: "returned" })),
  );
  await markSent(
    db,
    having(0, 5).map((one) => ({
      ...one,
      outcome: "accepted",
      providerMessageId: messageIdOf(one.sendId, one.attempt),
    })),
  );
  const failed = having(5, 7).map((one) => ({ ...one, ...failure }));
  await Promise.all([markFailed(db, failed), markFailed(db, failed)]);
  await markInDoubt(
    db,
    having(7, 8).map((one) => ({ ...one, outcome: "unknown" })),
  );
  await retryLater(
    db,
    having(8, 9).map((one) => ({ ...one, outcome: "try-later", delaySeconds: 0, usesRetryWindow: false })),
  );
}

/** Every process reports about the same recent sends, each report several times and in any order. */
async function report(): Promise<void> {
  const sends = await db.query<{ id: string; recipients: string[] }>({
    name: "recent-sends",
    text: `select id, to_addresses as recipients from sends where id > first_id_at(now() - interval '20 s') order by random() limit 60`,
    isPlannedEachTime: true,
  });
  const reports = randomReports(dice, sends);
  for (let start = 0; start < reports.length; start += 50) {
    const part = reports.slice(start, start + 50);
    await applyFeedback(db, part, Date.now());
    process.send?.(part.length);
  }
}

async function operate(): Promise<void> {
  const { accountId, domains } = pick(accounts);
  if (dice.roll(10) === 0) await cancelSends(db, { accountId, message: "cancelled" });
  const since = new Date(Date.now() - 600_000).toISOString();
  const { failed } = await findFailed(db, { code: "PROVIDER_REJECTED", since, accountId }, undefined);
  const retried = failed.slice(0, 20).map(({ id }) => ({ id, fromDomain: domains[0] ?? "", position: 1 }));
  await retryFailed(db, "PROVIDER_REJECTED", retried);
  await db.query({
    name: "end-waits",
    text: `update send_queue set due_at = now() where id in (select id from send_queue where state <> 'ready' limit 50 for update skip locked)`,
  });
  await markExpiredLeasesInDoubt(db, "live");
  await failInDoubt(db, "live", { inDoubtSeconds: 0, inDoubtMaxSeconds: 0 });
}

function pick<Item>(items: Item[]): Item {
  const item = items[dice.roll(items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
