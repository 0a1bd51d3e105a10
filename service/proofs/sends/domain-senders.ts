import type { Database } from "../../src/db/database.ts";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";

export type DomainSenders = { accountId: string; fromDomain: string }[];

/** Creates one account for each domain, with the domain verified. */
export async function makeDomainSenders(db: Database, domains: string[]): Promise<DomainSenders> {
  const senders: DomainSenders = [];
  for (const domain of domains) {
    const accountId = await anAccount(db);
    senders.push({ accountId, fromDomain: await aVerifiedDomain(db, accountId, domain) });
  }
  return senders;
}
