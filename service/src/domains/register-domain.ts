import { randomBytes } from "node:crypto";
import type { Database } from "../db/database.ts";
import type { NameLocks } from "../db/name-locks.ts";
import { AppError } from "../errors.ts";
import { waitForTurn } from "../provider/control-budget.ts";
import { type EmailProvider, type Identity, ProviderError } from "../provider/email-provider.ts";
import type { Domain } from "./domain.ts";
import { parseDomainName } from "./domain-name.ts";
import { completeDomain, draftDomain } from "./domain-store.ts";

/** What changing domains needs; made once per process. */
export interface DomainDesk {
  db: Database;
  locks: NameLocks;
  provider: EmailProvider;
  configurationSetName: string;
}

/**
 * Draft, identity, domain: each step finds what an earlier, interrupted try has done, so registering again goes on from
 * there. The name is held meanwhile, so no removal takes the identity away in between.
 */
export async function registerDomain(desk: DomainDesk, accountId: string, text: string): Promise<Domain> {
  const domainName = parseDomainName(text);
  const { db, configurationSetName } = desk;
  const challengeToken = randomBytes(32).toString("base64url");
  return desk.locks.hold(domainName, async () => {
    const draft = await draftDomain(db, accountId, { domainName, challengeToken, configurationSetName });
    if (draft === undefined) throw new AppError("CONFLICT", "This domain is already registered.");
    const identity = await ensureIdentity(desk, domainName).catch(explainProvider);
    const domain = await completeDomain(db, accountId, draft.id, identity);
    if (domain === undefined) throw new Error("a draft vanished while its name was held");
    return domain;
  });
}

async function ensureIdentity({ db, provider, configurationSetName }: DomainDesk, domainName: string) {
  await waitForTurn(db, "registration");
  const created = await provider.createIdentity(domainName, configurationSetName);
  if (created !== "exists") return created;
  await waitForTurn(db, "registration");
  const found = await provider.findIdentity(domainName);
  if (found !== undefined) return found;
  // Someone removed it at the provider by hand between the two questions; the caller's next try creates it.
  throw new ProviderError("unavailable", "an identity that exists was not found", undefined);
}

function explainProvider(error: unknown): Identity {
  if (!(error instanceof ProviderError)) throw error;
  const text = {
    throttled: "The email provider is busy. Try again shortly.",
    unavailable: "The email provider does not answer at the moment. Try again shortly.",
    denied: "The email provider refused this installation. Ask its operator to check the AWS credentials.",
    "limit-reached": "This installation has reached its limit of domains. Ask its operator.",
    invalid: "The email provider does not accept this domain. Ask the operator of this installation.",
  }[error.kind];
  throw new AppError("UNAVAILABLE", text, { retryAfterSeconds: 10, cause: error });
}
