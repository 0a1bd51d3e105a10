import { randomBytes } from "node:crypto";
import type { Database } from "../db/database.ts";
import type { NameLocks } from "../db/name-locks.ts";
import { AppError } from "../errors.ts";
import { waitForControlToken } from "../provider/control-budget.ts";
import { type EmailProvider, type Identity, ProviderError } from "../provider/email-provider.ts";
import type { Domain } from "./domain.ts";
import { completeDomain, draftDomain } from "./domain-store.ts";

/** What changing domains needs; made once per process. */
export interface DomainDeps {
  db: Database;
  locks: NameLocks;
  provider: EmailProvider;
  configurationSetName: string;
}

/**
 * Draft, identity, domain: each step finds what an earlier, interrupted try has done, so registering again goes on from
 * there. The name is held meanwhile, so no removal takes the identity away in between.
 */
export async function registerDomain(deps: DomainDeps, accountId: string, domainName: string): Promise<Domain> {
  const { configurationSetName } = deps;
  const db = deps.db.forAccount(accountId);
  const challengeToken = randomBytes(32).toString("base64url");
  return deps.locks.hold(domainName, async () => {
    const draft = await draftDomain(db, { domainName, challengeToken, configurationSetName });
    if (draft === undefined) throw new AppError("CONFLICT", "This domain is already registered.");
    // crash point: domain-drafted
    const identity = await ensureIdentity(deps, domainName).catch(explainProvider);
    // crash point: identity-made
    requireEasyDkim(identity);
    const domain = await completeDomain(db, draft.id, identity);
    // crash point: domain-completed
    if (domain === undefined) throw new Error("a draft vanished while its name was held");
    return domain;
  });
}

/** An identity that was made elsewhere is taken over, but one with keys of its own has no records we could show. */
function requireEasyDkim({ dkimTokens }: Identity): void {
  if (dkimTokens.length === 3) return;
  const message =
    "This domain exists at the email provider with DKIM keys of its own. Ask the operator to switch it to Easy DKIM.";
  throw new AppError("CONFLICT", message);
}

/** Safe to repeat, and to call for an identity that is there. */
export async function ensureIdentity(
  { db, provider, configurationSetName }: DomainDeps,
  domainName: string,
): Promise<Identity> {
  const created = await inTurn(db, () => provider.createIdentity(domainName, configurationSetName));
  if (created !== "exists") return created;
  const found = await inTurn(db, () => provider.findIdentity(domainName));
  if (found !== undefined) return found;
  // Someone removed it at the provider by hand between the two questions; the caller's next try creates it.
  throw new ProviderError("unavailable", "an identity that exists was not found", undefined);
}

/** Two turns may arrive closer together than they left; who is refused for that gets one more before a person has to try. */
async function inTurn<Result>(db: Database, ask: () => Promise<Result>): Promise<Result> {
  await waitForControlToken(db, "registration");
  return ask().catch(async (error) => {
    if (!(error instanceof ProviderError) || error.kind !== "throttled") throw error;
    await waitForControlToken(db, "registration");
    return ask();
  });
}

function explainProvider(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  const text = {
    throttled: "The email provider is busy. Try again shortly.",
    unavailable: "The email provider does not answer at the moment. Try again shortly.",
    denied: "The email provider refused this installation. Ask its operator to check the AWS credentials.",
    "limit-reached": "This installation has reached its limit of domains. Ask its operator.",
    invalid:
      "The email provider did not accept the request. Ask the operator to run `postern aws setup` and see the log.",
  }[error.kind];
  throw new AppError("UNAVAILABLE", text, { retryAfterSeconds: 10, cause: error });
}
