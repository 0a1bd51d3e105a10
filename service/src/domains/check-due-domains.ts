import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import { tryControlToken } from "../provider/control-call-tokens.ts";
import { type EmailProvider, ProviderError } from "../provider/email-provider.ts";
import { alternateAccounts } from "./alternate-accounts.ts";
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
const retryDeferredSeconds = 5;
/** Few, so that a domain that becomes due during the lookups of a batch does not wait long for the next batch. */
const maxLookups = 5;

/**
 * Checks up to `2 * limit` domains that are due and returns how many it checked. DNS is checked for all at once. The
 * lookups at the provider follow one by one, because each needs a control-call token, and accounts alternate in them.
 */
export async function checkDueDomains(deps: VerificationDeps, limit: number): Promise<number> {
  const due = await claimDueDomains(deps.db, limit);
  const failures: unknown[] = [];
  const collect = (error: unknown) => void failures.push(error);
  const toLookUp: CheckedDomain[] = [];
  const checkDns = async (domain: DueDomain) => {
    // crash point: check-claimed
    const dns = await checkRecords(deps.resolver, domain.domainName, dnsRecordsOf(domain));
    const checked = { ...domain, dns };
    if (dns.isProven && needsLookup(domain)) toLookUp.push(checked);
    else await storeCheck(deps, checked, storedDkimState(domain));
  };
  await Promise.all(due.map((domain) => checkDns(domain).catch(collect)));

  let lookupsLeft = maxLookups;
  for (const domain of alternateAccounts(toLookUp)) {
    try {
      const dkim = lookupsLeft > 0 ? await lookUpDkim(deps, domain) : deferred(domain);
      // After a lookup without an answer the others of the batch would only wait too.
      lookupsLeft = dkim.isDeferred ? 0 : lookupsLeft - 1;
      await storeCheck(deps, domain, dkim);
    } catch (error) {
      collect(error);
    }
  }
  // A domain whose check failed is due again when its lease ends.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domain checks failed`);
  return due.length;
}

type CheckedDomain = DueDomain & { dns: Awaited<ReturnType<typeof checkRecords>> };

async function storeCheck(deps: VerificationDeps, domain: CheckedDomain, dkim: DkimState): Promise<void> {
  const { isProven, records } = domain.dns;
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
    nextCheckSeconds: dkim.isDeferred ? retryDeferredSeconds : nextCheckSeconds,
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

interface DkimState {
  isVerified: boolean;
  /** The provider could not be asked now. */
  isDeferred: boolean;
  wasAsked: boolean;
}

function needsLookup(domain: DueDomain): boolean {
  return !domain.isDkimVerified && domain.secondsSinceRegistration <= singleLookupSeconds;
}

async function lookUpDkim({ db, provider }: VerificationDeps, domain: DueDomain): Promise<DkimState> {
  if (!(await tryControlToken(db, "verification"))) return deferred(domain);
  try {
    const identity = await provider.findIdentity(domain.domainName);
    return { isVerified: identity?.dkimStatus === "success", isDeferred: false, wasAsked: true };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return deferred(domain);
  }
}

function storedDkimState(domain: DueDomain): DkimState {
  return { isVerified: domain.isDkimVerified, isDeferred: false, wasAsked: false };
}

function deferred(domain: DueDomain): DkimState {
  return { ...storedDkimState(domain), isDeferred: true };
}
