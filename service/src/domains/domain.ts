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

/** The value of the TXT record that proves ownership. */
export function proofOf(challengeToken: string): string {
  return `postern-verify=${challengeToken}`;
}
