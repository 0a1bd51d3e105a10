import { type DnsAnswer, type DnsResolver, isSameName } from "./dns-resolver.ts";
import type { DnsRecord, RecordCheck } from "./domain.ts";
import { findHints } from "./record-hints.ts";

interface RecordsCheck {
  /** The TXT record has exactly our value. Also false when DNS did not answer; the status is `unknown` then. */
  isProven: boolean;
  /** In the order of the given records. */
  records: RecordCheck[];
}

/** Queries all records concurrently, then searches for the cause of missing or wrong ones. At most 28 DNS queries. */
export async function checkRecords(
  resolver: DnsResolver,
  domainName: string,
  records: DnsRecord[],
): Promise<RecordsCheck> {
  const lookups = await Promise.all(records.map((record) => lookUp(resolver, record)));
  const hints = await findHints(resolver, domainName, lookups);
  const checks = lookups.map(({ record, status, answer }, index): RecordCheck => {
    const [foundValue, hint] = [nearestValue(record, answer), hints[index]];
    return { record, status, ...(foundValue !== undefined && { foundValue }), ...(hint !== undefined && { hint }) };
  });
  return {
    isProven: checks.some(({ record, status }) => record.type === "TXT" && status === "found"),
    records: checks,
  };
}

async function lookUp(resolver: DnsResolver, record: DnsRecord) {
  const answer = await (record.type === "TXT" ? resolver.findTxt(record.name) : resolver.findCname(record.name));
  return { record, status: statusOf(record, answer), answer };
}

function statusOf(record: DnsRecord, answer: DnsAnswer): RecordCheck["status"] {
  switch (answer.kind) {
    case "absent":
      return "missing";
    case "unanswered":
      return "unknown";
    case "records":
      return answer.values.some((value) => isExpected(record, value)) ? "found" : "wrong";
  }
}

/** The TXT record proves ownership, so its value must match exactly. A CNAME target is a DNS name and ignores case. */
function isExpected(record: DnsRecord, value: string): boolean {
  return record.type === "TXT" ? value === record.value : isSameName(value, record.value);
}

function nearestValue(record: DnsRecord, answer: DnsAnswer): string | undefined {
  if (answer.kind !== "records") return undefined;
  const [kind = ""] = record.value.split("=");
  const nearest =
    answer.values.find((value) => isExpected(record, value)) ??
    answer.values.find((value) => value.includes(kind)) ??
    answer.values[0];
  // DNS values are untrusted, so the displayed value is short and has no control characters.
  return nearest?.slice(0, 255).replace(/\p{Cc}/gu, "\u{fffd}");
}
