import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { Chore } from "../loops/chores.ts";
import { tryControlToken } from "../provider/control-call-tokens.ts";
import type { EmailProvider } from "../provider/email-provider.ts";
import { storeQuota } from "./provider-hold.ts";
import { readReputation } from "./read-reputation.ts";

export function providerChores(db: Database, provider: EmailProvider): Chore[] {
  return [
    { name: "read-quota", pauseSeconds: 60, run: async () => void (await readQuota(db, provider)) },
    { name: "read-reputation", pauseSeconds: 300, run: () => readReputation(db, provider) },
  ];
}

const learnAgainAfterMs = 2_000;

/** Workers that start together compete for control-call tokens, so one try may not be enough. */
export async function learnQuota(db: Database, provider: EmailProvider, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    // The chore logs an error that persists.
    if (await readQuota(db, provider).catch(() => false)) return;
    await sleep(learnAgainAfterMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/**
 * The provider may change its rate at any time. Holds come from its answers to submissions, never from this. Returns false when too
 * many control calls are waiting.
 */
async function readQuota(db: Database, provider: EmailProvider): Promise<boolean> {
  if (!(await tryControlToken(db, "quota"))) return false;
  const quota = await provider.readQuota();
  // crash point: quota-read
  await storeQuota(db, "live", quota);
  return true;
}
