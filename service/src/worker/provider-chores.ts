import type { Database } from "../db/database.ts";
import { waitForTurn } from "../provider/control-budget.ts";
import type { EmailProvider } from "../provider/email-provider.ts";
import { storeMaxRate } from "../sends/provider-hold.ts";
import type { Chore } from "./chores.ts";

export function providerChores(db: Database, provider: EmailProvider): Chore[] {
  return [{ name: "read-quota", pauseSeconds: 60, run: () => readQuota(db, provider) }];
}

/** The provider raises or lowers its rate as it sees fit; a hold is never made from this, only from its answers. */
export async function readQuota(db: Database, provider: EmailProvider): Promise<void> {
  await waitForTurn(db, "chore");
  const { perSecond } = await provider.readQuota();
  await storeMaxRate(db, "live", perSecond);
}
