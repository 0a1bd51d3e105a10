import { type Domain, dnsRecordsOf, mailFromRecordsOf } from "../domain.ts";

export interface WantedRecord {
  purpose: "ownership" | "dkim" | "mail-from" | "spf" | "dmarc";
  type: "TXT" | "CNAME" | "MX";
  name: string;
  /** Null: mail needs no such record. */
  expected: string | null;
  /** The domain is verified only with it. */
  isRequired: boolean;
}

/** A policy that changes nothing for the mail and is enough for the mailbox providers that require one. */
export const firstDmarcPolicy = "v=DMARC1; p=none;";

/** Every record that concerns mail of the domain, in the order in which the owner publishes them. */
export function wantedRecordsOf(domain: Domain): WantedRecord[] {
  const { domainName } = domain;
  const mailFrom = mailFromRecordsOf(domain);
  const needed = dnsRecordsOf(domain).map(({ type, name, value }): WantedRecord => {
    return { purpose: type === "TXT" ? "ownership" : "dkim", type, name, expected: value, isRequired: true };
  });
  const returnPath = mailFrom.map(({ type, name, value }): WantedRecord => {
    return { purpose: type === "MX" ? "mail-from" : "spf", type, name, expected: value, isRequired: false };
  });
  const ownSpf: WantedRecord = { purpose: "spf", type: "TXT", name: domainName, expected: null, isRequired: false };
  return [
    ...needed,
    ...(returnPath.length > 0 ? returnPath : [ownSpf]),
    { purpose: "dmarc", type: "TXT", name: `_dmarc.${domainName}`, expected: firstDmarcPolicy, isRequired: false },
  ];
}
