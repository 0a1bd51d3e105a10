import { type Actor, systemActor } from "../actor.ts";
import { type ControlPurpose, NoControlTokenError, waitForControlToken } from "../provider/control-call-tokens.ts";
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
import { requireDomainChange } from "./limit-domain-changes.ts";
import type { DomainDeps } from "./register-domain.ts";

export const abandonedAfterSeconds = 600;

/**
 * The first statement deletes the domain and records an identity removal. Then the identity is removed at the provider.
 * An error there is returned and not thrown, because `finishRemovals` repeats the recorded removal. Returns undefined
 * when the account has no such domain.
 */
export async function removeDomain(deps: DomainDeps, accountId: string, id: number, actor: Actor = systemActor) {
  const db = deps.db.forAccount(accountId, actor);
  await requireDomainChange(db);
  const domainName = await deleteDomain(db, id);
  if (domainName === undefined) return undefined;
  // crash point: domain-deleted
  const identityRemovalError = await removeIdentity(deps, domainName, "removal").catch((error: unknown) => error);
  return { identityRemovalError };
}

/**
 * Removes the identity of a deleted domain at the provider, unless an account has registered the name again or another
 * system created the identity. Safe to repeat: it deletes the recorded removal last, and only with the note that it
 * read, so a removal that was recorded in the meantime stays.
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

/**
 * Deletes abandoned drafts and repeats the identity removals that failed or were interrupted. When it gets no control-call token, it
 * stops, and the next run continues.
 */
export async function finishRemovals(deps: DomainDeps, limit: number): Promise<void> {
  const failures: unknown[] = [];
  const collect = (error: unknown) => void failures.push(error);
  for (const domainName of await listAbandonedDrafts(deps.db, abandonedAfterSeconds)) {
    const deleteAll = () => deleteDrafts(deps.db, domainName, abandonedAfterSeconds);
    await deps.locks.hold(domainName, deleteAll).catch(collect);
  }
  // crash point: drafts-dropped
  for (const domainName of await listIdentityRemovals(deps.db, limit)) {
    try {
      await removeIdentity(deps, domainName, "chore");
    } catch (error) {
      if (error instanceof NoControlTokenError) break;
      collect(error);
      // Moves the removal to the end, so that one that always fails does not block the others.
      await postponeIdentityRemoval(deps.db, domainName);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} removals failed`);
}
