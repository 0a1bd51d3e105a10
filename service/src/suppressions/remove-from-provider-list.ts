import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import { tryControlToken } from "../provider/control-call-tokens.ts";
import { type EmailProvider, ProviderError } from "../provider/email-provider.ts";
import { type DueRemoval, finishRemoval, listDueRemovals, postponeRemoval, type RemovalEnd } from "./removal-store.ts";

export interface RemovalDeps {
  db: Queryable;
  provider: Pick<EmailProvider, "removeSuppressedAddress">;
  log: Log;
}

const firstDelaySeconds = 10;
const maxDelaySeconds = 3600;

/**
 * Removes due addresses from SES's account-level suppression list and returns how many removals are finished.
 *
 * 1. The configuration sets of Postern switch that list off. Where an operator has it on, SES bounces all mail to a listed
 *    address, for every account.
 * 2. One account's removal removes the address there. The other accounts keep their own suppressions.
 * 3. If the recipient has complained since the request, the address stays listed. A bounce since then does not count: SES
 *    may have bounced the mail only because the address is listed.
 */
export async function removeFromProviderList(deps: RemovalDeps, batchSize: number): Promise<number> {
  let done = 0;
  for (const removal of await listDueRemovals(deps.db, batchSize)) {
    // Without a token too many control calls are waiting; the next run tries again.
    if (!removal.hasComplaint && !(await tryControlToken(deps.db, "chore"))) break;
    const end = removal.hasComplaint ? "kept" : await tryRemoval(deps, removal);
    if (end === undefined) continue;
    // crash point: suppression-removed
    await finishRemoval(deps.db, removal, end);
    done += 1;
  }
  return done;
}

/** Returns undefined when a later try may succeed. */
async function tryRemoval({ db, provider, log }: RemovalDeps, removal: DueRemoval): Promise<RemovalEnd | undefined> {
  try {
    await provider.removeSuppressedAddress(removal.email);
    return "removed";
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // The message may quote the address, which must not be logged. An invalid address stays invalid, so it is not retried.
    const { kind } = error;
    const isPermanent = kind === "invalid";
    const delaySeconds = Math.min(maxDelaySeconds, firstDelaySeconds * 2 ** removal.tries);
    const facts = { note: removal.note, tries: removal.tries + 1, reason: kind };
    if (isPermanent) log.error(facts, "suppression.not-removed");
    else log.warn({ ...facts, retry_in_seconds: delaySeconds }, "suppression.not-removed");
    if (isPermanent) return "refused";
    await postponeRemoval(db, removal, { delaySeconds, error: kind });
    return undefined;
  }
}
