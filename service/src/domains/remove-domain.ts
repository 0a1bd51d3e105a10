import { AppError } from "../errors.ts";
import { type ControlPurpose, waitForTurn } from "../provider/control-budget.ts";
import { deleteDomain } from "./domain-store.ts";
import {
  deleteDrafts,
  forgetIdentityRemoval,
  isNameTaken,
  listAbandonedDrafts,
  listIdentityRemovals,
} from "./identity-removal-store.ts";
import type { DomainDesk } from "./register-domain.ts";

export const abandonedAfterSeconds = 600;

/**
 * The domain is gone with the first statement. Its identity goes next; what hinders that is returned, because a note for
 * `finishRemovals` was committed together with the removal. Returns undefined when the account has no such domain.
 */
export async function removeDomain(desk: DomainDesk, accountId: string, id: number) {
  const domainName = await deleteDomain(desk.db, accountId, id);
  if (domainName === undefined) return undefined;
  const hindrance = await removeIdentity(desk, domainName, "removal").catch((error: unknown) => error);
  return { hindrance };
}

/**
 * Takes the identity of a removed name away from the provider, unless the name has been registered again meanwhile. Safe
 * to repeat at any point: the note is forgotten last.
 */
export async function removeIdentity(desk: DomainDesk, domainName: string, purpose: ControlPurpose): Promise<void> {
  await desk.locks.hold(domainName, async () => {
    if (!(await isNameTaken(desk.db, domainName))) {
      await waitForTurn(desk.db, purpose);
      await desk.provider.removeIdentity(domainName);
    }
    await forgetIdentityRemoval(desk.db, domainName);
  });
}

/** Finishes what requests left: identities still to be removed, registrations nobody took up again. */
export async function finishRemovals(desk: DomainDesk, limit: number): Promise<void> {
  for (const domainName of await listAbandonedDrafts(desk.db, abandonedAfterSeconds)) {
    await desk.locks.hold(domainName, () => deleteDrafts(desk.db, domainName, abandonedAfterSeconds));
  }
  const failures: unknown[] = [];
  for (const domainName of await listIdentityRemovals(desk.db, limit)) {
    const hindrance = await removeIdentity(desk, domainName, "chore").catch((error: unknown) => error);
    // No turn is free: somebody more important is at it, and the rest would not get one either.
    if (hindrance instanceof AppError && hindrance.code === "UNAVAILABLE") break;
    if (hindrance !== undefined) failures.push(hindrance);
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} identities could not be removed`);
}
