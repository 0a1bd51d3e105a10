import type { Domain, DomainDns, SeenDnsRecord } from "../../api/api-types.ts";

export interface AdviceRow {
  key: string;
  /** A word of status-look.ts. */
  status: "found" | "weak" | "wrong" | "unknown" | "not set up" | "not needed" | "waiting";
  type: string;
  /** Empty for a row without a record. */
  name: string;
  /** What is published, or what to publish; undefined when nothing has to be. */
  value: string | undefined;
  lead: string;
  note: string | undefined;
  /** A value to copy that is not the shown one. */
  suggestion: string | undefined;
  offers?: "mail-from";
}

/** What improves the delivery of mail but is not needed to send, in the order DMARC, return path, SPF. */
export function adviceRows(domain: Domain, dns: DomainDns | undefined): AdviceRow[] {
  const optional = dns?.records.filter((record) => !record.required) ?? [];
  const of = (purpose: SeenDnsRecord["purpose"]) => optional.filter((record) => record.purpose === purpose);
  return [
    ...of("dmarc").map((record) => dmarcRow(record, dns)),
    ...returnPathRows(domain, of("mail-from")),
    ...of("spf").map(spfRow),
  ];
}

function dmarcRow(record: SeenDnsRecord, dns: DomainDns | undefined): AdviceRow {
  const published = valuesOf(record).find((value) => /dmarc1/i.test(value));
  const base = { key: "dmarc", type: record.type, name: record.name, note: record.advice ?? undefined };
  const first = { value: published ?? record.expected ?? undefined, suggestion: undefined };
  if (record.status === "unknown") return { ...base, ...first, status: "unknown", lead: "DNS did not answer." };
  if (record.status === "wrong") {
    return {
      ...base,
      ...first,
      status: "wrong",
      lead: "Receivers ignore this DMARC record.",
      suggestion: record.expected ?? undefined,
    };
  }
  const policy = dns?.dmarc;
  if (policy === null || policy === undefined)
    return { ...base, ...first, status: "not set up", lead: "There is no DMARC record." };
  if (policy.name !== record.name) {
    return {
      ...base,
      status: "found",
      name: policy.name,
      value: undefined,
      suggestion: undefined,
      lead: "DMARC comes from the domain above.",
    };
  }
  if (policy.policy !== "none") {
    return { ...base, ...first, status: "found", lead: `DMARC protects the domain: p=${policy.policy}.` };
  }
  const hasReports = /\brua\s*=/i.test(published ?? "");
  const reports = hasReports ? "" : " Nobody receives reports: add rua=mailto: with an address of yours.";
  return {
    ...base,
    ...first,
    status: "weak",
    lead: "DMARC only observes.",
    note: `${base.note ?? ""}${reports}`.trim(),
  };
}

const mailFromLeads = {
  Success: "SES uses your return path.",
  Pending: "SES has not found the MX record yet.",
  Failed: "SES stopped looking for the MX record.",
};

function returnPathRows(domain: Domain, seen: SeenDnsRecord[]): AdviceRow[] {
  const { mail_from: mailFrom } = domain;
  if (mailFrom === null) {
    return [
      {
        key: "mail-from",
        status: "not set up",
        type: "",
        name: "",
        value: undefined,
        lead: "The return path is amazonses.com.",
        note: "With a return path of your own, SPF passes for your domain, and DMARC has a second proof beside DKIM.",
        suggestion: undefined,
        offers: "mail-from",
      },
    ];
  }
  const records = mailFrom.records.filter(({ type }) => type === "MX");
  return records.map(({ type, name, value }) => {
    const live = seen.find((record) => record.name === name);
    const failed = mailFrom.status === "Failed" ? "Publish the record, then set the return path again." : undefined;
    const meanwhile =
      mailFrom.status === "Pending" ? "Until then mail goes out with the return path of SES." : undefined;
    return {
      key: "mail-from",
      status: returnPathStatus(mailFrom.status, live),
      type,
      name,
      value,
      lead: mailFromLeads[mailFrom.status],
      note: failed ?? live?.advice ?? meanwhile,
      suggestion: undefined,
      offers: "mail-from" as const,
    };
  });
}

function returnPathStatus(
  status: "Pending" | "Success" | "Failed",
  live: SeenDnsRecord | undefined,
): AdviceRow["status"] {
  if (live?.status === "wrong" || status === "Failed") return "wrong";
  if (live?.status === "missing") return "not set up";
  return status === "Success" ? "found" : "waiting";
}

const ownSpfNote = "The return path of your mail is amazonses.com, and SPF passes for it. DMARC passes through DKIM.";

function spfRow(record: SeenDnsRecord): AdviceRow {
  const published = valuesOf(record).find((value) => /^v=spf1/i.test(value));
  const row = {
    key: `spf ${record.name}`,
    type: record.type,
    name: record.name,
    value: published ?? record.expected ?? undefined,
    note: record.advice ?? undefined,
    suggestion: record.status === "wrong" && record.expected !== null ? record.expected : undefined,
  };
  if (record.status === "unknown") return { ...row, status: "unknown", lead: "DNS did not answer." };
  if (record.status === "wrong") return { ...row, status: "wrong", lead: "SPF does not pass." };
  if (record.expected === null) {
    return { ...row, status: "not needed", lead: "No SPF record is needed.", note: ownSpfNote };
  }
  return record.status === "found"
    ? { ...row, status: "found", lead: "SPF passes for your return path." }
    : { ...row, status: "not set up", lead: "SPF does not cover your return path." };
}

function valuesOf({ authoritative, resolver }: SeenDnsRecord): string[] {
  return authoritative.values.length > 0 ? authoritative.values : resolver.values;
}
