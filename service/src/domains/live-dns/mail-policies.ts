export type DmarcPolicy = "none" | "quarantine" | "reject";

/** The policy that applies to mail of a domain, and the name of its record. */
export interface AppliedPolicy {
  policy: DmarcPolicy;
  name: string;
}

/** RFC 7208: the version is a whole word. */
export function spfRecordsIn(values: string[]): string[] {
  return values.filter((value) => /^v=spf1( |$)/i.test(value));
}

/** RFC 7489: the version comes first and is written in capitals. */
export function dmarcRecordsIn(values: string[]): string[] {
  return values.filter((value) => /^v\s*=\s*DMARC1\s*(;|$)/.test(value));
}

/** The policy for mail of the domain itself. Undefined when it is missing or misspelt, so that receivers ignore the record. */
export function policyOf(record: string): DmarcPolicy | undefined {
  return tagOf(record, "p");
}

/** The policy that subdomains without a record of their own inherit. */
export function subdomainPolicyOf(record: string): DmarcPolicy | undefined {
  return tagOf(record, "sp") ?? policyOf(record);
}

function tagOf(record: string, wanted: string): DmarcPolicy | undefined {
  for (const part of record.split(";")) {
    const [tag = "", value = ""] = part.split("=").map((text) => text.trim().toLowerCase());
    if (tag === wanted && (value === "none" || value === "quarantine" || value === "reject")) return value;
  }
  return undefined;
}
