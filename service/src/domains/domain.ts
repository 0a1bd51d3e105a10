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
  /** What the last look found; empty before the first. */
  recordChecks: RecordCheck[];
  lastCheckedAt: string | null;
  nextCheckAt: string;
}

/** `unknown` when DNS gave no answer. */
export interface RecordCheck {
  record: DnsRecord;
  status: "found" | "missing" | "wrong" | "unknown";
  foundValue?: string;
  hint?: string;
}

export interface DnsRecord {
  type: "TXT" | "CNAME";
  name: string;
  value: string;
}

/** What the owner publishes: our proof that the name is theirs, then three names for the provider's DKIM keys. */
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

/** What the TXT record of a registration must say. */
export function proofOf(challengeToken: string): string {
  return `postern-verify=${challengeToken}`;
}
