import { type Actor, systemActor } from "../../actor.ts";
import type { Queryable } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { type ControlPurpose, waitForControlToken } from "../../provider/control-call-tokens.ts";
import { type Domain, mailFromDomainOf } from "../domain.ts";
import { requireDomainChange } from "../limit-domain-changes.ts";
import type { DomainDeps } from "../register-domain.ts";
import { findMailFromWish, markMailFromApplied, storeMailFromWish } from "./mail-from-store.ts";

export interface MailFromRequest {
  id: number;
  /** Null removes the MAIL FROM domain. */
  subdomain: string | null;
}

/**
 * Stores the wish, then applies it at SES. An error there is returned and not thrown, because the chore `apply-mail-from` repeats the call.
 * Returns undefined when the account has no verified domain with this id.
 */
export async function setMailFrom(
  deps: DomainDeps,
  accountId: string,
  { id, subdomain }: MailFromRequest,
  actor: Actor = systemActor,
): Promise<{ domain: Domain; applyError: unknown } | undefined> {
  const db = deps.db.forAccount(accountId, actor);
  await requireDomainChange(db);
  const domain = await storeMailFromWish(db, id, subdomain);
  if (domain === undefined) return undefined;
  const applyError = await applyMailFrom(deps, db, domain, "mail-from").catch((error: unknown) => error);
  return { domain, applyError };
}

/**
 * `bound` is the database of the account, or in a worker that of all. Makes SES use the current wish. The name lock makes requests for one domain follow each other, and each reads the newest wish, so that
 * SES ends up with the newest one. Safe to repeat.
 */
export async function applyMailFrom(
  { db, locks, provider }: DomainDeps,
  bound: Queryable,
  { domainName, ...domain }: { id: number; accountId: string; domainName: string },
  purpose: ControlPurpose,
): Promise<void> {
  await locks.hold(domainName, async () => {
    const wish = await findMailFromWish(bound, domain);
    if (wish === undefined || wish.isApplied) return;
    await waitForControlToken(db, purpose);
    await provider.setMailFrom(domainName, mailFromDomainOf(wish));
    await markMailFromApplied(bound, wish);
  });
}

const maxNameLength = 253;

/** Returns the canonical form: one or more labels in lower case. */
export function parseMailFromSubdomain(text: string, domainName: string): string {
  const subdomain = text.toLowerCase();
  const isName = subdomain.split(".").every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  if (isName && `${subdomain}.${domainName}`.length <= maxNameLength) return subdomain;
  const message = "must be the part before the domain, such as bounce: letters, digits and hyphens";
  throw new AppError("VALIDATION_ERROR", `subdomain ${message}.`, {
    details: [{ field: "subdomain", code: "invalid", message }],
  });
}
