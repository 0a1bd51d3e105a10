import { randomBytes } from "node:crypto";
import { type Actor, systemActor } from "../actor.ts";
import type { Database } from "../db/database.ts";
import type { NameLocks } from "../db/name-locks.ts";
import { AppError } from "../errors.ts";
import { type ControlPurpose, waitForControlToken } from "../provider/control-call-tokens.ts";
import { type EmailProvider, type Identity, ProviderError } from "../provider/email-provider.ts";
import type { Domain } from "./domain.ts";
import { completeDomain, type DraftDecision, draftDomain, releaseDraft } from "./domain-store.ts";
import { requireDomainChange } from "./limit-domain-changes.ts";

export interface DomainDeps {
  db: Database;
  locks: NameLocks;
  provider: EmailProvider;
  configurationSetName: string;
}

/**
 * Registers in three steps: draft, identity, domain. Each step finds the result of an earlier, interrupted
 * registration, so a second try continues from there. The name lock keeps a removal from deleting the identity between
 * the steps.
 */
export async function registerDomain(
  deps: DomainDeps,
  accountId: string,
  domainName: string,
  actor: Actor = systemActor,
  challengeToken = randomBytes(32).toString("base64url"),
): Promise<Domain> {
  const { configurationSetName } = deps;
  const db = deps.db.forAccount(accountId, actor);
  await requireDomainChange(db);
  return deps.locks.hold(domainName, async () => {
    const draft = requireDraft(await draftDomain(db, { domainName, challengeToken, configurationSetName }));
    // crash point: domain-drafted
    const identity = await easyDkimIdentity(deps, domainName).catch(async (error: unknown) => {
      // Without this the draft counts for 30 seconds, so a failure here matters little and must not hide the first one.
      if (error instanceof AppError) await releaseDraft(db, draft).catch(() => undefined);
      throw error;
    });
    // crash point: identity-made
    const domain = await completeDomain(db, draft.id, identity);
    // crash point: domain-completed
    if (domain === undefined) throw new Error("a draft disappeared while its name was locked");
    return domain;
  });
}

function requireDraft(decision: DraftDecision): { id: number; until: string } {
  switch (decision.kind) {
    case "drafted":
      return decision;
    case "taken":
      throw new AppError("CONFLICT", "This domain is already registered.");
    case "limit-reached": {
      const message =
        `This account has reached its limit of ${decision.limit} domains. ` +
        "Remove a domain that it no longer needs, or ask the operator to raise the limit.";
      throw new AppError("VALIDATION_ERROR", message, {
        details: [{ field: "domain_name", code: "invalid", message }],
      });
    }
    case "busy": {
      const message = "This account has several unfinished registrations. Try again in 10 seconds.";
      throw new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds: 10 });
    }
  }
}

/**
 * Postern uses an identity that another system created, except one with its own DKIM keys, which has no CNAME records.
 */
async function easyDkimIdentity(deps: DomainDeps, domainName: string): Promise<Identity> {
  const identity = await ensureIdentity(deps, domainName, "registration").catch(explainProvider);
  if (identity.dkimTokens.length === 3) return identity;
  const message =
    "This domain exists at the email provider with its own DKIM keys. Ask the operator to switch it to Easy DKIM.";
  throw new AppError("CONFLICT", message);
}

/** Safe to repeat: returns the identity if it already exists. */
export async function ensureIdentity(
  { db, provider, configurationSetName }: DomainDeps,
  domainName: string,
  purpose: ControlPurpose,
): Promise<Identity> {
  const created = await withControlToken(db, purpose, () => provider.createIdentity(domainName, configurationSetName));
  if (created !== "exists") return created;
  const found = await withControlToken(db, purpose, () => provider.findIdentity(domainName));
  if (found !== undefined) return found;
  // An operator deleted it at the provider between the two calls; the next try creates it.
  throw new ProviderError("unavailable", "the identity disappeared between two calls", undefined);
}

/** Network delays can bring two calls closer together than their tokens, so a throttled call gets a second token. */
async function withControlToken<Result>(
  db: Database,
  purpose: ControlPurpose,
  call: () => Promise<Result>,
): Promise<Result> {
  await waitForControlToken(db, purpose);
  return call().catch(async (error) => {
    if (!(error instanceof ProviderError) || error.kind !== "throttled") throw error;
    await waitForControlToken(db, purpose);
    return call();
  });
}

function explainProvider(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  const text = {
    throttled: "The email provider is busy. Try again in 10 seconds.",
    unavailable: "The email provider does not answer at the moment. Try again in 10 seconds.",
    denied: "The email provider refused this installation. Ask its operator to check the AWS credentials.",
    "limit-reached": "This installation has reached its limit of domains. Ask its operator to raise it.",
    invalid:
      "The email provider rejected the request. Ask the operator to read the log and to run `postern aws setup`.",
  }[error.kind];
  throw new AppError("UNAVAILABLE", text, { retryAfterSeconds: 10, cause: error });
}
