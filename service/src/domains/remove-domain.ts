import { type ControlPurpose, waitForControlToken } from "../provider/control-budget.ts";
import { deleteDomain } from "./domain-store.ts";
import {
  deleteDrafts,
  findIdentityRemoval,
  forgetIdentityRemoval,
  isNameTaken,
  listAbandonedDrafts,
  listIdentityRemovals,
  postponeIdentityRemoval,
} from "./identity-removal-store.ts";
import type { DomainDeps } from "./register-domain.ts";

export const abandonedAfterSeconds = 600;

/**
 * The domain is gone with the first statement. Its identity goes next; what hinders that is returned, because a note for
 * `finishRemovals` was committed together with the removal. Returns undefined when the account has no such domain.
 */
export async function removeDomain(deps: DomainDeps, accountId: string, id: number) {
  const domainName = await deleteDomain(deps.db.forAccount(accountId), id);
  if (domainName === undefined) return undefined;
  // crash point: domain-deleted
  const hindrance = await removeIdentity(deps, domainName, "removal").catch((error: unknown) => error);
  return { hindrance };
}

/**
 * Takes the identity of a removed name away from the provider, unless the name has been registered again meanwhile or the
 * identity was not made by this installation. Safe to repeat at any point: the note is forgotten last, and only as it was
 * read, so that a removal noted meanwhile is not forgotten with it.
 */
export async function removeIdentity(deps: DomainDeps, domainName: string, purpose: ControlPurpose): Promise<void> {
  await deps.locks.hold(domainName, async () => {
    const note = await findIdentityRemoval(deps.db, domainName);
    if (note === undefined) return;
    if (!(await isNameTaken(deps.db, domainName))) await removeOurIdentity(deps, domainName, purpose);
    // crash point: identity-removed
    await forgetIdentityRemoval(deps.db, domainName, note);
  });
}

async function removeOurIdentity(deps: DomainDeps, domainName: string, purpose: ControlPurpose): Promise<void> {
  await waitForControlToken(deps.db, purpose);
  const identity = await deps.provider.findIdentity(domainName);
  if (identity?.configurationSetName !== deps.configurationSetName) return;
  await waitForControlToken(deps.db, purpose);
  await deps.provider.removeIdentity(domainName);
}

/** Finishes what requests left: identities still to be removed, registrations nobody took up again. */
export async function finishRemovals(deps: DomainDeps, limit: number): Promise<void> {
  const failures: unknown[] = [];
  const keep = (error: unknown) => void failures.push(error);
  for (const domainName of await listAbandonedDrafts(deps.db, abandonedAfterSeconds)) {
    const drop = () => deleteDrafts(deps.db, domainName, abandonedAfterSeconds);
    await deps.locks.hold(domainName, drop).catch(keep);
  }
  // crash point: drafts-dropped
  for (const domainName of await listIdentityRemovals(deps.db, limit)) {
    await removeIdentity(deps, domainName, "chore").catch(async (error) => {
      keep(error);
      // To the back of the queue, so that one that keeps failing does not hide the others.
      await postponeIdentityRemoval(deps.db, domainName);
    });
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} removals could not be finished`);
}
