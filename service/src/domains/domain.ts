export type VerificationStatus = "Pending" | "Success" | "Failed";

export interface Domain {
  id: number;
  accountId: string;
  domainName: string;
  challengeToken: string;
  configurationSetName: string;
  verificationStatus: VerificationStatus;
  identityArn: string;
  dkimTokens: string[];
  dkimZone: string;
  /** The result of the last check; empty before the first one. */
  recordChecks: RecordCheck[];
  lastCheckedAt: string | null;
  nextCheckAt: string;
  /** The part before the domain, such as `bounce`. Null: SES uses its own return path. */
  mailFromSubdomain: string | null;
  /** Null without a MAIL FROM domain. */
  mailFromStatus: VerificationStatus | null;
}

export interface RecordCheck {
  record: DnsRecord;
  /** `unknown`: DNS did not answer, which is no evidence against the record. */
  status: "found" | "missing" | "wrong" | "unknown";
  /** The published value; of several values, the one nearest to the expected one. */
  foundValue?: string;
  /** One sentence for the owner of the domain: what to change. */
  hint?: string;
}

export interface DnsRecord {
  type: "TXT" | "CNAME";
  name: string;
  value: string;
}

/** The records that the owner publishes: the TXT record that proves ownership, then three CNAME records for DKIM. */
export function dnsRecordsOf(
  domain: Pick<Domain, "domainName" | "challengeToken" | "dkimTokens" | "dkimZone">,
): DnsRecord[] {
  const { domainName, challengeToken, dkimTokens, dkimZone } = domain;
  return [
    { type: "TXT", name: `_postern-challenge.${domainName}`, value: proofOf(challengeToken) },
    ...dkimTokens.map((token) => ({
      type: "CNAME" as const,
      name: `${token}._domainkey.${domainName}`,
      value: `${token}.${dkimZone}`,
    })),
  ];
}

export interface MailFromRecord {
  type: "MX" | "TXT";
  name: string;
  value: string;
}

/** The custom MAIL FROM domain, which is the return path of the mail. Undefined when the account wants none. */
export function mailFromDomainOf({
  domainName,
  mailFromSubdomain,
}: Pick<Domain, "domainName" | "mailFromSubdomain">): string | undefined {
  return mailFromSubdomain === null ? undefined : `${mailFromSubdomain}.${domainName}`;
}

/** The records that SES requires for the MAIL FROM domain: where bounces go, and who may send with this return path. */
export function mailFromRecordsOf(
  domain: Pick<Domain, "domainName" | "mailFromSubdomain" | "identityArn">,
): MailFromRecord[] {
  const name = mailFromDomainOf(domain);
  if (name === undefined) return [];
  const [, , , region = ""] = domain.identityArn.split(":");
  return [
    { type: "MX", name, value: `10 feedback-smtp.${region}.amazonses.com` },
    { type: "TXT", name, value: "v=spf1 include:amazonses.com ~all" },
  ];
}

/** The value of the TXT record that proves ownership. */
export function proofOf(challengeToken: string): string {
  return `postern-verify=${challengeToken}`;
}
