import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import { waitForControlToken } from "../provider/control-budget.ts";
import { type EmailProvider, ProviderError } from "../provider/email-provider.ts";
import { type DueRemoval, forgetRemoval, listDueRemovals, postponeRemoval } from "./removal-store.ts";

export interface RemovalDeps {
  db: Queryable;
  provider: Pick<EmailProvider, "removeSuppressedAddress">;
  log: Log;
}

const firstDelaySeconds = 10;
const longestDelaySeconds = 3600;

/**
 * Takes addresses off the provider's list and returns how many of those that were due are done with. That list is one for
 * all accounts. Our configuration set switches it off; where the operator has it on, mail to whom is on it only bounces. So
 * an address goes as soon as one account wants to mail it again, which takes nothing from the others: their own lists still
 * filter it for them.
 *
 * A complaint made meanwhile is news about the address, and its entry stays. A bounce made meanwhile is none: it may be no
 * more than the echo of that list.
 */
export async function removeSuppressed(deps: RemovalDeps, atMost: number): Promise<number> {
  let done = 0;
  for (const removal of await listDueRemovals(deps.db, atMost)) {
    if (!removal.hasComplaint) {
      if (!(await hasTurn(deps.db))) break;
      if (!(await isRemoved(deps, removal))) continue;
    }
    // crash point: suppression-removed
    await forgetRemoval(deps.db, removal);
    done += 1;
  }
  return done;
}

/** False when many others wait for their turn; the next run asks again. */
async function hasTurn(db: Queryable): Promise<boolean> {
  try {
    await waitForControlToken(db, "chore");
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAVAILABLE") return false;
    throw error;
  }
}

async function isRemoved({ db, provider, log }: RemovalDeps, removal: DueRemoval): Promise<boolean> {
  try {
    await provider.removeSuppressedAddress(removal.email);
    return true;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // Its message may quote the address, which must not be logged. What is invalid today is so tomorrow.
    const { kind } = error;
    const isHopeless = kind === "invalid";
    const delaySeconds = Math.min(longestDelaySeconds, firstDelaySeconds * 2 ** removal.tries);
    const facts = { note: removal.note, tries: removal.tries + 1, reason: kind };
    if (isHopeless) log.error(facts, "suppression.not-removed");
    else log.warn({ ...facts, retry_in_seconds: delaySeconds }, "suppression.not-removed");
    if (!isHopeless) await postponeRemoval(db, removal, delaySeconds);
    return isHopeless;
  }
}
