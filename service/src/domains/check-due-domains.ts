import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import { takeControlToken } from "../provider/control-budget.ts";
import { type EmailProvider, ProviderError } from "../provider/email-provider.ts";
import { checkRecords } from "./check-records.ts";
import type { DnsResolver } from "./dns-resolver.ts";
import { dnsRecordsOf } from "./domain.ts";
import { judge } from "./verification-rule.ts";
import { claimDueDomains, type DueDomain, settleCheck } from "./verification-store.ts";

/** What verifying needs; made once per process. */
export interface VerificationDeps {
  db: Database;
  provider: EmailProvider;
  resolver: DnsResolver;
  log: Log;
}

/** The provider is asked for a single domain only in its first hour; later the pages of its list have to do. */
const askedAloneSeconds = 3600;
const retryWithoutTurnSeconds = 5;

/** Looks at the domains that are due and returns how many those were. */
export async function checkDueDomains(deps: VerificationDeps, limit: number): Promise<number> {
  const due = await claimDueDomains(deps.db, limit);
  const results = await Promise.allSettled(due.map((domain) => checkDomain(deps, domain)));
  const failures = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  // Those that failed are due again when their claim runs out.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domain checks failed`);
  return due.length;
}

async function checkDomain(deps: VerificationDeps, domain: DueDomain): Promise<void> {
  // crash point: check-claimed
  const { isProven, records } = await checkRecords(deps.resolver, domain.domainName, dnsRecordsOf(domain));
  const dkim = isProven ? await dkimState(deps, domain) : known(domain);
  const hasNoAnswer = records.some(({ record, status }) => record.type === "TXT" && status === "unknown");
  const proof = isProven ? "seen" : hasNoAnswer ? "unknown" : "missing";
  const isFailing = domain.verificationStatus === "Success" && proof !== "unknown" && !(isProven && dkim.isVerified);
  const { status, nextCheckSeconds } = judge({
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
    nextCheckSeconds: dkim.isDeferred ? retryWithoutTurnSeconds : nextCheckSeconds,
    recordChecks: records,
  };
  // crash point: check-judged
  const hasChanged = status !== domain.verificationStatus;
  if (await settleCheck(deps.db, settlement)) {
    const facts = {
      domain_id: domain.id,
      proof,
      is_dkim_verified: dkim.isVerified,
      was: domain.verificationStatus,
      status,
    };
    deps.log[hasChanged ? "info" : "debug"](facts, "domain.checked");
    return;
  }
  if (status !== "Success") return;
  await settleCheck(deps.db, {
    ...settlement,
    status: "Pending",
    nextCheckSeconds: takenPauseSeconds,
    recordChecks: records.map((check) => (check.record.type === "TXT" ? { ...check, hint: takenHint } : check)),
  });
}

const takenPauseSeconds = 3600;
const takenHint =
  "Another account of this installation has verified this domain first. Remove it there to use it here.";

/** Asks the provider when it is worth a turn of its own and one is free; otherwise what was known stands. */
async function dkimState({ db, provider }: VerificationDeps, domain: DueDomain) {
  if (domain.isDkimVerified || domain.secondsSinceRegistration > askedAloneSeconds) return known(domain);
  const waitSeconds = await takeControlToken(db, 0);
  if (waitSeconds === undefined) return { ...known(domain), isDeferred: true };
  try {
    const identity = await provider.findIdentity(domain.domainName);
    return { isVerified: identity?.dkimStatus === "success", isDeferred: false, wasAsked: true };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ...known(domain), isDeferred: true };
  }
}

function known(domain: DueDomain) {
  return { isVerified: domain.isDkimVerified, isDeferred: false, wasAsked: false };
}
