import type { Database } from "../src/db/database.ts";
import { anAccount } from "../test/builders.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";

export type DomainSenders = { accountId: string; fromDomain: string }[];

/** An account for each domain, in which it is verified. */
export async function makeSendersOf(db: Database, domains: string[]): Promise<DomainSenders> {
  const senders: DomainSenders = [];
  for (const domain of domains) {
    const accountId = await anAccount(db);
    senders.push({ accountId, fromDomain: await aVerifiedDomain(db, accountId, domain) });
  }
  return senders;
}
