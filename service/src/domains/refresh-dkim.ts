import { NoControlTokenError, tryControlToken } from "../provider/control-call-tokens.ts";
import type { ListedIdentity } from "../provider/email-provider.ts";
import { readClock, storeDkimStates, storeMissingIdentities, storeNewIdentity } from "./dkim-store.ts";
import { isNameTaken } from "./identity-removal-store.ts";
import { type DomainDeps, ensureIdentity } from "./register-domain.ts";

const restoreBatchSize = 5;

/**
 * Reads the provider's complete list of identities and stores their DKIM states. Each page of 1,000 domains costs one
 * control-call token; when it gets none, it stops, and the next run starts again. It creates identities
 * that are missing from the list again, because no other check detects that. Returns whether it had all the tokens it needed.
 */
export async function refreshDkim(deps: DomainDeps): Promise<boolean> {
  const { db } = deps;
  const readSince = await readClock(db);
  const listed = await readList(deps);
  if (listed === undefined) return false;
  // crash point: identities-listed
  const missing = await storeMissingIdentities(db, listed, readSince);
  try {
    for (const domainName of missing.slice(0, restoreBatchSize)) await restoreIdentity(deps, domainName);
    return true;
  } catch (error) {
    if (error instanceof NoControlTokenError) return false;
    throw error;
  }
}

async function readList({ db, provider }: DomainDeps): Promise<string[] | undefined> {
  const listed: ListedIdentity[] = [];
  let next: string | undefined;
  do {
    if (!(await tryControlToken(db, "verification"))) return undefined;
    const page = await provider.listIdentities(next);
    await storeDkimStates(db, page.identities);
    listed.push(...page.identities);
    next = page.next;
  } while (next !== undefined);
  return listed.map(({ domainName }) => domainName);
}

/** Holds the name lock, so that it creates no identity for a domain that is being removed. */
async function restoreIdentity(deps: DomainDeps, domainName: string): Promise<void> {
  await deps.locks.hold(domainName, async () => {
    if (!(await isNameTaken(deps.db, domainName))) return;
    await storeNewIdentity(deps.db, domainName, await ensureIdentity(deps, domainName, "chore"));
  });
}
