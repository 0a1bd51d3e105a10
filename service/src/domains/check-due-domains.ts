import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import { takeControlToken } from "../provider/control-call-tokens.ts";
import { type EmailProvider, ProviderError } from "../provider/email-provider.ts";
import { checkRecords } from "./check-records.ts";
import type { DnsResolver } from "./dns-resolver.ts";
import { dnsRecordsOf } from "./domain.ts";
import { evaluateVerification } from "./verification-rule.ts";
import { claimDueDomains, type DueDomain, settleCheck } from "./verification-store.ts";

export interface VerificationDeps {
  db: Database;
  provider: EmailProvider;
  resolver: DnsResolver;
  log: Log;
}

/**
 * In the first hour after registration a check asks the provider about the single domain; `refreshDkim` covers the
 * rest.
 */
const singleLookupSeconds = 3600;
const retryWithoutTokenSeconds = 5;

/** Checks up to `2 * limit` domains that are due and returns how many it checked. */
export async function checkDueDomains(deps: VerificationDeps, limit: number): Promise<number> {
  const due = await claimDueDomains(deps.db, limit);
  const results = await Promise.allSettled(due.map((domain) => checkDomain(deps, domain)));
  const failures = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  // A domain whose check failed is due again when its lease ends.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domain checks failed`);
  return due.length;
}

async function checkDomain(deps: VerificationDeps, domain: DueDomain): Promise<void> {
  // crash point: check-claimed
  const { isProven, records } = await checkRecords(deps.resolver, domain.domainName, dnsRecordsOf(domain));
  const dkim = isProven ? await currentDkimState(deps, domain) : storedDkimState(domain);
  const hasNoAnswer = records.some(({ record, status }) => record.type === "TXT" && status === "unknown");
  const proof = isProven ? "seen" : hasNoAnswer ? "unknown" : "missing";
  const isFailing = domain.verificationStatus === "Success" && proof !== "unknown" && !(isProven && dkim.isVerified);
  const { status, nextCheckSeconds } = evaluateVerification({
    status: domain.verificationStatus,
    proof,
    isDkimVerified: dkim.isVerified,
    secondsSinceRegistration: domain.secondsSinceRegistration,
    secondsFailing: isFailing ? (domain.secondsFailing ?? 0) : 0,
  });
  const settlement = {
    id: domain.id,
    claim: domain.claim,
    status,
    isFailing: isFailing || (proof === "unknown" && domain.secondsFailing !== undefined),
    isDkimVerified: dkim.wasAsked ? dkim.isVerified : undefined,
    nextCheckSeconds: dkim.isDeferred ? retryWithoutTokenSeconds : nextCheckSeconds,
    recordChecks: records,
  };
  // crash point: check-evaluated
  const hasChanged = status !== domain.verificationStatus;
  if (await settleCheck(deps.db, settlement)) {
    const fields = {
      domain_id: domain.id,
      proof,
      is_dkim_verified: dkim.isVerified,
      previous_status: domain.verificationStatus,
      status,
    };
    deps.log[hasChanged ? "info" : "debug"](fields, "domain.checked");
    return;
  }
  if (status !== "Success") return;
  // Either another account verified the name first, which this settlement records, or the claim is lost and it changes
  // nothing.
  await settleCheck(deps.db, {
    ...settlement,
    status: "Pending",
    nextCheckSeconds: verifiedElsewherePauseSeconds,
    recordChecks: records.map((check) =>
      check.record.type === "TXT" ? { ...check, hint: verifiedElsewhereHint } : check,
    ),
  });
}

const verifiedElsewherePauseSeconds = 3600;
const verifiedElsewhereHint =
  "Another account of this installation has already verified this domain. Remove it there to use it here.";

/** Asks the provider if the domain is new and a control-call token is free; otherwise returns the stored state. */
async function currentDkimState({ db, provider }: VerificationDeps, domain: DueDomain) {
  if (domain.isDkimVerified || domain.secondsSinceRegistration > singleLookupSeconds) return storedDkimState(domain);
  const waitSeconds = await takeControlToken(db, 0);
  if (waitSeconds === undefined) return { ...storedDkimState(domain), isDeferred: true };
  try {
    const identity = await provider.findIdentity(domain.domainName);
    return { isVerified: identity?.dkimStatus === "success", isDeferred: false, wasAsked: true };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ...storedDkimState(domain), isDeferred: true };
  }
}

function storedDkimState(domain: DueDomain) {
  return { isVerified: domain.isDkimVerified, isDeferred: false, wasAsked: false };
}
