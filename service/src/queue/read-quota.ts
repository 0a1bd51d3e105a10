import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { Chore } from "../loops/chores.ts";
import { waitForControlToken } from "../provider/control-budget.ts";
import type { EmailProvider } from "../provider/email-provider.ts";
import { storeMaxRate } from "./provider-hold.ts";

export function providerChores(db: Database, provider: EmailProvider): Chore[] {
  return [{ name: "read-quota", pauseSeconds: 60, run: () => readQuota(db, provider) }];
}

const learnAgainAfterMs = 2_000;

/** Several workers that start together compete for the turns of control requests, so one try may be too few. */
export async function learnQuota(db: Database, provider: EmailProvider, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      return await readQuota(db, provider);
    } catch {
      // The chore says what is wrong if it stays so.
      await sleep(learnAgainAfterMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

/** The provider raises or lowers its rate as it sees fit; a hold is never made from this, only from its answers. */
async function readQuota(db: Database, provider: EmailProvider): Promise<void> {
  await waitForControlToken(db, "chore");
  const { perSecond } = await provider.readQuota();
  // crash point: quota-read
  await storeMaxRate(db, "live", perSecond);
}
