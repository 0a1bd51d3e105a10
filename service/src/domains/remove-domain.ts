import { type ControlPurpose, waitForTurn } from "../provider/control-budget.ts";
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
import type { DomainDesk } from "./register-domain.ts";

export const abandonedAfterSeconds = 600;

/**
 * The domain is gone with the first statement. Its identity goes next; what hinders that is returned, because a note for
 * `finishRemovals` was committed together with the removal. Returns undefined when the account has no such domain.
 */
export async function removeDomain(desk: DomainDesk, accountId: string, id: number) {
  const domainName = await deleteDomain(desk.db.forAccount(accountId), id);
  if (domainName === undefined) return undefined;
  // crash point: domain-deleted
  const hindrance = await removeIdentity(desk, domainName, "removal").catch((error: unknown) => error);
  return { hindrance };
}

/**
 * Takes the identity of a removed name away from the provider, unless the name has been registered again meanwhile or the
 * identity was not made by this installation. Safe to repeat at any point: the note is forgotten last, and only as it was
 * read, so that a removal noted meanwhile is not forgotten with it.
 */
export async function removeIdentity(desk: DomainDesk, domainName: string, purpose: ControlPurpose): Promise<void> {
  await desk.locks.hold(domainName, async () => {
    const note = await findIdentityRemoval(desk.db, domainName);
    if (note === undefined) return;
    if (!(await isNameTaken(desk.db, domainName))) await removeOurIdentity(desk, domainName, purpose);
    // crash point: identity-removed
    await forgetIdentityRemoval(desk.db, domainName, note);
  });
}

async function removeOurIdentity(desk: DomainDesk, domainName: string, purpose: ControlPurpose): Promise<void> {
  await waitForTurn(desk.db, purpose);
  const identity = await desk.provider.findIdentity(domainName);
  if (identity?.configurationSetName !== desk.configurationSetName) return;
  await waitForTurn(desk.db, purpose);
  await desk.provider.removeIdentity(domainName);
}

/** Finishes what requests left: identities still to be removed, registrations nobody took up again. */
export async function finishRemovals(desk: DomainDesk, limit: number): Promise<void> {
  const failures: unknown[] = [];
  const keep = (error: unknown) => void failures.push(error);
  for (const domainName of await listAbandonedDrafts(desk.db, abandonedAfterSeconds)) {
    const drop = () => deleteDrafts(desk.db, domainName, abandonedAfterSeconds);
    await desk.locks.hold(domainName, drop).catch(keep);
  }
  // crash point: drafts-dropped
  for (const domainName of await listIdentityRemovals(desk.db, limit)) {
    await removeIdentity(desk, domainName, "chore").catch(async (error) => {
      keep(error);
      // To the back of the queue, so that one that keeps failing does not hide the others.
      await postponeIdentityRemoval(desk.db, domainName);
    });
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} removals could not be finished`);
}
