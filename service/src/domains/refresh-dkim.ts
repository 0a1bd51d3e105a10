import type { Database } from "../db/database.ts";
import { takeTurn } from "../provider/control-budget.ts";
import type { EmailProvider } from "../provider/email-provider.ts";
import { storeDkimStates } from "./verification-store.ts";

/**
 * Reads the provider's whole list, a page and a turn at a time: ten requests for ten thousand domains. Gives up without
 * harm when somebody else needs the turns; the next run starts over. Returns whether the list was read to its end.
 */
export async function refreshDkim(db: Database, provider: EmailProvider, pause: () => Promise<void>): Promise<boolean> {
  let next: string | undefined;
  do {
    if (!(await isTurnFree(db, pause))) return false;
    const page = await provider.listIdentities(next);
    await storeDkimStates(db, page.identities);
    next = page.next;
  } while (next !== undefined);
  return true;
}

async function isTurnFree(db: Database, pause: () => Promise<void>): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if ((await takeTurn(db, 0)) !== undefined) return true;
    await pause();
  }
  return false;
}
