import { mailFromDomainOf } from "../../domains/domain.ts";
import { createLiveDns } from "../../domains/live-dns/live-dns.ts";
import type { SeenRecord } from "../../domains/live-dns/look-at-dns.ts";
import type { CheckedIdentity } from "../../provider/ses/check/check-identity.ts";
import { type Finding, note, ok, problem } from "../../provider/ses/setup/finding.ts";

interface DnsCheckOptions {
  servers: string[];
  region: string;
}

const names = {
  dkim: "DKIM record",
  "mail-from": "MX record of the MAIL FROM domain",
  spf: "SPF record",
  dmarc: "DMARC",
};

/** The records that receivers of mail look at, with the advice that the owner of a domain gets from the API. */
export async function checkDns(options: DnsCheckOptions, identity: CheckedIdentity): Promise<Finding[]> {
  const { records } = await createLiveDns({ servers: options.servers }).look(domainFor(identity, options.region));
  // A record without an expected value is optional, except that a second one would break the first.
  const relevant = records.filter(({ purpose, expected, status }) => {
    return purpose !== "ownership" && (expected !== null || status === "wrong");
  });
  const findings = relevant.map(recordFinding);
  const dkim = findings.filter(({ check, state }) => check === "dns.dkim" && state === "ok");
  if (dkim.length < 3) return findings;
  return [ok("dns.dkim", "its three DKIM records are published"), ...findings.filter((each) => !dkim.includes(each))];
}

function recordFinding({ purpose, name, type, expected, status, advice = "" }: SeenRecord): Finding {
  const kind = purpose === "ownership" ? "dkim" : purpose;
  const check = `dns.${kind}`;
  // A policy of the parent domain applies as well; only then the advice says that none is needed.
  if (status === "found" || (purpose === "dmarc" && /No record is needed here/.test(advice))) {
    return ok(check, `${names[kind]} ${name}`);
  }
  if (status === "unknown") return note(check, `DNS does not answer for the ${names[kind]} ${name}`, advice);
  const value = purpose === "dmarc" || expected === null ? "" : ` It must be: ${type} ${name} ${expected}`;
  const what =
    status === "missing" ? `there is no ${names[kind]} at ${name}` : `the ${names[kind]} at ${name} is wrong`;
  return problem(check, what, `${advice}${value}`);
}

/** The API looks at the records of a registered domain; this one may not be registered yet. */
function domainFor({ domainName, dkimTokens, dkimZone, mailFromDomain }: CheckedIdentity, region: string) {
  const mailFromSubdomain = mailFromDomain?.slice(0, -domainName.length - 1) ?? null;
  const domain = {
    id: 0,
    accountId: "",
    domainName,
    challengeToken: "",
    configurationSetName: "",
    verificationStatus: "Pending" as const,
    // Only the region of the ARN counts: the name of the mail server depends on it.
    identityArn: `arn:aws:ses:${region}::identity/${domainName}`,
    dkimTokens,
    dkimZone,
    recordChecks: [],
    lastCheckedAt: null,
    nextCheckAt: "",
    mailFromSubdomain,
    mailFromStatus: null,
  };
  return mailFromDomainOf(domain) === mailFromDomain ? domain : { ...domain, mailFromSubdomain: null };
}
