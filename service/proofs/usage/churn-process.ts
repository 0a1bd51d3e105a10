import { randomUUIDv7 } from "node:crypto";
import { createAcceptBatch } from "../../src/accept/accept-batch.ts";
import { openDatabaseClock } from "../../src/db/database-clock.ts";
import { applyFeedback } from "../../src/feedback/apply-feedback.ts";
import { markExpiredLeasesInDoubt } from "../../src/in-doubt/expired-leases.ts";
import { failInDoubt } from "../../src/in-doubt/resolve-in-doubt.ts";
import { parseMailbox } from "../../src/mail-address.ts";
import { bothModes, type Mode } from "../../src/mode.ts";
import { cancelSends } from "../../src/queue/cancel-sends.ts";
import { type ClaimedSend, claimSends } from "../../src/queue/claim-sends.ts";
import { promoteDueSends } from "../../src/queue/promote-sends.ts";
import { findFailed, retryFailed } from "../../src/queue/retry-failed.ts";
import { markFailed, markInDoubt, markSent, markSuppressed, retryLater } from "../../src/queue/settle-sends.ts";
import { rebuildUsageDay } from "../../src/usage/rebuild-usage.ts";
import { foldUsage } from "../../src/usage/usage-chores.ts";
import { aCandidate } from "../../test/a-candidate.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { createDice } from "../seeded-random.ts";
import type { ChurnSender } from "./churn-senders.ts";
import { messageIdOf, pickRecentSends, randomReports } from "./random-reports.ts";

/**
 * Accepts, claims, settles, reports, cancels, retries, folds and rebuilds in both modes until it is killed, with the functions of the API
 * and the worker. Its arguments are the database, a seed and the senders. Sends its parent the number of reports that it applied.
 */
const [url = "", seed = "", senders = ""] = process.argv.slice(2);
const dice = createDice(Number(seed));
const accounts = JSON.parse(senders) as ChurnSender[];
const db = openTestDatabase(url);
const decide = createAcceptBatch(db, await openDatabaseClock(db));
process.on("disconnect", () => process.exit(0));

for (;;) {
  await accept();
  for (const mode of bothModes) {
    await promoteDueSends(db, mode);
    await settle(await claim(mode));
  }
  await report();
  if (dice.roll(4) === 0) await operate();
  if (dice.roll(3) === 0) await foldUsage(db, 1_000);
}

async function accept(): Promise<void> {
  const candidates = Array.from({ length: 30 }, () => {
    const { accountId, domains, apiKeyIds, tags } = pick(accounts);
    const mode = dice.roll(4) === 0 ? "test" : "live";
    const { name, written } = pick(domains);
    const count = 1 + dice.roll(3);
    // Few addresses, so that many are soon suppressed.
    const recipients = [...new Set(Array.from({ length: count }, () => `r${dice.roll(400)}@x${dice.roll(2)}.test`))];
    const candidate = aCandidate({ id: randomUUIDv7(), accountId, domain: name, recipients });
    if (candidate.send !== undefined) {
      candidate.send.fromAddress = `a@${written}`;
      const hash = Buffer.alloc(16, `${accountId.slice(-4)}${dice.roll(100_000)}`);
      if (dice.roll(2) === 0) candidate.send.idempotencyHash = hash;
      candidate.send.tags = randomTags(tags);
    }
    const apiKeyId = dice.roll(2) === 0 ? apiKeyIds[mode] : undefined;
    return { ...candidate, mode, apiKeyId, secretId: apiKeyId } as const;
  });
  await Promise.all(candidates.map(decide));
}

/** Up to ten; half of the sends have none. */
function randomTags(different: number): string[] {
  if (dice.roll(2) === 0) return [];
  return [...new Set(Array.from({ length: 1 + dice.roll(10) }, () => `t${dice.roll(different)}`))];
}

async function claim(mode: Mode): Promise<ClaimedSend[]> {
  const limits = { maxSends: 40, maxRecipients: 200, fromFairAt: "-infinity", isProbe: false };
  return (await claimSends(db, { mode, ...limits })).sends;
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

async function report(): Promise<void> {
  const reports = randomReports(dice, await pickRecentSends(db));
  for (let start = 0; start < reports.length; start += 50) {
    const part = reports.slice(start, start + 50);
    await applyFeedback(db, part, Date.now());
    process.send?.(part.length);
  }
}

async function operate(): Promise<void> {
  const { accountId } = pick(accounts);
  if (dice.roll(10) === 0) await cancelSends(db, { accountId, message: "cancelled" });
  const since = new Date(Date.now() - 600_000).toISOString();
  const { failed } = await findFailed(db, { code: "PROVIDER_REJECTED", since, accountId }, undefined);
  const retried = failed
    .slice(0, 20)
    .map(({ id, fromAddress }) => ({ id, fromDomain: domainOf(fromAddress), position: 1 }));
  await retryFailed(db, "PROVIDER_REJECTED", retried);
  await db.query({
    name: "end-waits",
    text: `update send_queue set due_at = now() where id in (select id from send_queue where state <> 'ready' limit 50 for update skip locked)`,
  });
  for (const mode of bothModes) {
    await markExpiredLeasesInDoubt(db, mode);
    await failInDoubt(db, mode, { inDoubtSeconds: 0, inDoubtMaxSeconds: 0 });
  }
  await rebuild(accountId, pick([...bothModes]));
}

function domainOf(fromAddress: string): string {
  const sender = parseMailbox(fromAddress);
  if ("problem" in sender) throw new Error(`${fromAddress} is not an address`);
  return sender.address.domain;
}

/** Record and counters change in the same commit, so a correction at any moment has nothing to correct. */
async function rebuild(accountId: string, mode: Mode): Promise<void> {
  const day = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
  const differences = await rebuildUsageDay(db, { accountId, mode, day }, { isCorrected: true });
  if (differences?.length !== 0) throw new Error(`the rebuild found ${JSON.stringify(differences)}`);
}

function pick<Item>(items: Item[]): Item {
  const item = items[dice.roll(items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
