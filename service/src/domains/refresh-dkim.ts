import { takeControlToken } from "../provider/control-budget.ts";
import type { ListedIdentity } from "../provider/email-provider.ts";
import { isNameTaken } from "./identity-removal-store.ts";
import { type DomainDeps, ensureIdentity } from "./register-domain.ts";
import { readClock, storeDkimStates, storeMissingIdentities, storeNewIdentity } from "./verification-store.ts";

const restoredAtOnce = 5;

/**
 * Reads the provider's whole list, a page and a turn at a time: ten requests for ten thousand domains. Gives up without
 * harm when somebody else needs the turns; the next run starts over. Identities that have vanished are made again, because
 * nobody else would notice. Returns whether the list was read to its end.
 */
export async function refreshDkim(deps: DomainDeps, pause: () => Promise<void>): Promise<boolean> {
  const { db } = deps;
  const readSince = await readClock(db);
  const listed = await readList(deps, pause);
  if (listed === undefined) return false;
  // crash point: identities-listed
  const missing = await storeMissingIdentities(db, listed, readSince);
  for (const domainName of missing.slice(0, restoredAtOnce)) await restoreIdentity(deps, domainName);
  return true;
}

async function readList({ db, provider }: DomainDeps, pause: () => Promise<void>): Promise<string[] | undefined> {
  const listed: ListedIdentity[] = [];
  let next: string | undefined;
  do {
    if (!(await isTurnFree(db, pause))) return undefined;
    const page = await provider.listIdentities(next);
    await storeDkimStates(db, page.identities);
    listed.push(...page.identities);
    next = page.next;
  } while (next !== undefined);
  return listed.map(({ domainName }) => domainName);
}

/** While holding the name, so that it is not made for a domain that is just being removed. */
async function restoreIdentity(deps: DomainDeps, domainName: string): Promise<void> {
  await deps.locks.hold(domainName, async () => {
    if (!(await isNameTaken(deps.db, domainName))) return;
    await storeNewIdentity(deps.db, domainName, await ensureIdentity(deps, domainName));
  });
}

async function isTurnFree(db: DomainDeps["db"], pause: () => Promise<void>): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if ((await takeControlToken(db, 0)) !== undefined) return true;
    await pause();
  }
  return false;
}
