import { randomUUIDv7 } from "node:crypto";
import { createAcceptBatch } from "../src/accept/accept-batch.ts";
import type { Database } from "../src/db/database.ts";
import { openDatabaseClock } from "../src/db/database-clock.ts";
import { bothModes } from "../src/mode.ts";
import { claimSends } from "../src/queue/claim-sends.ts";
import { rebuildUsageDay } from "../src/usage/rebuild-usage.ts";
import { aCandidate } from "./a-candidate.ts";
import { anAccount } from "./builders.ts";
import { aVerifiedDomain } from "./send-builders.ts";
import { change } from "./send-rows.ts";

/** An account whose sends are accepted by the accept statement, as usage counts them there. */
export async function anAccountThatSends(db: Database) {
  const accountId = await anAccount(db);
  const domain = await aVerifiedDomain(db, accountId);
  await change(db, "update accounts set limit_per_second = 1000, limit_per_10_seconds = 10000 where id = $1", [
    accountId,
  ]);
  const decide = createAcceptBatch(db, await openDatabaseClock(db));
  const accept = async (recipients: string[], apiKeyId?: string, tags: string[] = []): Promise<string> => {
    const candidate = { ...aCandidate({ id: randomUUIDv7(), accountId, domain, recipients }), apiKeyId };
    if (candidate.send !== undefined) candidate.send.tags = tags;
    const decision = await decide(candidate);
    if (decision.kind !== "stored") throw new Error(`the send was answered with ${decision.kind}`);
    return decision.answer.sendId;
  };
  return { accountId, domain, accept };
}

export async function claimAll(db: Database) {
  const limits = { maxSends: 1_000, maxRecipients: 10_000, fromFairAt: "-infinity", isProbe: false };
  return (await claimSends(db, { mode: "live", ...limits })).sends;
}

/** What the counters of today and yesterday, in both modes, lack compared with the record. */
export async function differencesOf(db: Database, accountId: string, isCorrected = false) {
  const today = new Date().setUTCHours(0, 0, 0, 0);
  const days = [today - 86_400_000, today].map((start) => new Date(start).toISOString());
  const found = [];
  for (const mode of bothModes) {
    for (const day of days) {
      const differences = await rebuildUsageDay(db, { accountId, mode, day }, { isCorrected });
      if (differences === undefined) throw new Error(`the record of ${day} is gone`);
      found.push(...differences);
    }
  }
  return found;
}
