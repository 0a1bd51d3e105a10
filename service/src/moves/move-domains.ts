import { setTimeout as sleep } from "node:timers/promises";
import { systemActor } from "../actor.ts";
import { type Domain, dnsRecordsOf, mailFromRecordsOf } from "../domains/domain.ts";
import { listDomains } from "../domains/domain-store.ts";
import { setMailFrom } from "../domains/mail-from/set-mail-from.ts";
import { type DomainDeps, registerDomain } from "../domains/register-domain.ts";
import { AppError } from "../errors.ts";
import type { MovingCell } from "./moving-cell.ts";

/** What the owner of a domain still publishes before the account can move. */
export interface UnreadyDomain {
  domainName: string;
  records: { type: string; name: string; value: string }[];
}

/**
 * Registers in the target each domain of the account that it lacks. The challenge is that of the source, so its TXT record stays; the DKIM
 * records are others, because SES gives other ones in another AWS account. Returns the domains that work in the source and not yet in the target.
 */
export async function prepareDomains(
  source: MovingCell,
  target: DomainDeps,
  accountId: string,
): Promise<UnreadyDomain[]> {
  const own = await listDomains(source.db.forAccount(accountId));
  const there = await registeredIn(target, accountId);
  for (const { domainName, challengeToken } of own) {
    if (there.has(domainName)) continue;
    await withinLimit(() => registerDomain(target, accountId, domainName, systemActor, challengeToken));
  }
  const registered = await registeredIn(target, accountId);
  for (const { domainName, mailFromSubdomain } of own) {
    const domain = registered.get(domainName);
    if (domain === undefined || mailFromSubdomain === null || mailFromSubdomain === domain.mailFromSubdomain) continue;
    if (domain.verificationStatus !== "Success") continue;
    await withinLimit(() => setMailFrom(target, accountId, { id: domain.id, subdomain: mailFromSubdomain }));
  }
  return listUnreadyDomains(source, target, accountId);
}

/** The domains that work in the source and not yet in the target. Calls nothing at SES. */
export async function listUnreadyDomains(
  source: MovingCell,
  target: Pick<DomainDeps, "db">,
  accountId: string,
): Promise<UnreadyDomain[]> {
  const own = await listDomains(source.db.forAccount(accountId));
  const there = await registeredIn(target, accountId);
  return own.flatMap((domain) => unready(domain, there.get(domain.domainName)));
}

async function registeredIn({ db }: Pick<DomainDeps, "db">, accountId: string): Promise<Map<string, Domain>> {
  const domains = await listDomains(db.forAccount(accountId));
  return new Map(domains.map((domain) => [domain.domainName, domain]));
}

/** Only what works now has to work in the target: a domain that was never verified moves as it is. */
function unready(own: Domain, there: Domain | undefined): UnreadyDomain[] {
  if (own.verificationStatus !== "Success") return [];
  if (there === undefined) return [{ domainName: own.domainName, records: [] }];
  if (there.verificationStatus !== "Success") return [{ domainName: own.domainName, records: dnsRecordsOf(there) }];
  if (own.mailFromStatus !== "Success" || there.mailFromStatus === "Success") return [];
  return [{ domainName: own.domainName, records: mailFromRecordsOf(there) }];
}

const maxTries = 30;

/** An account may change a few domains a minute only. */
async function withinLimit<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (error) {
      const isTooFast = error instanceof AppError && error.code === "RATE_LIMIT_EXCEEDED";
      if (!isTooFast || tries === maxTries) throw error;
      await sleep(1000 * (error.retryAfterSeconds ?? 1));
    }
  }
}
