import { type DnsAnswer, type DnsResolver, isSameName } from "./dns-resolver.ts";
import type { DnsRecord } from "./domain.ts";
import { findHints } from "./record-hints.ts";

export interface RecordCheck {
  record: DnsRecord;
  /** `unknown`: no server answered, which is no evidence against the record. */
  status: "found" | "missing" | "wrong" | "unknown";
  /** What stands at the name; of several values, the one nearest to ours. */
  foundValue?: string;
  /** One sentence for the person at the DNS console. */
  hint?: string;
}

interface RecordsCheck {
  /** The TXT record holds our exact value. False as well when nobody answered: look for `unknown` before judging. */
  isProven: boolean;
  /** In the order in which the records were given. */
  records: RecordCheck[];
}

/** Asks for all records at once, and once more around those that are missing or wrong; at most 28 questions. */
export async function checkRecords(
  resolver: DnsResolver,
  domainName: string,
  records: DnsRecord[],
): Promise<RecordsCheck> {
  const looked = await Promise.all(records.map((record) => lookUp(resolver, record)));
  const hints = await findHints(resolver, domainName, looked);
  const checks = looked.map(({ record, status, answer }, index): RecordCheck => {
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
      return answer.values.some((value) => isRight(record, value)) ? "found" : "wrong";
  }
}

/** The TXT is the proof of ownership, so it counts to the letter; a CNAME is a name and compares as one. */
function isRight(record: DnsRecord, value: string): boolean {
  return record.type === "TXT" ? value === record.value : isSameName(value, record.value);
}

function nearestValue(record: DnsRecord, answer: DnsAnswer): string | undefined {
  if (answer.kind !== "records") return undefined;
  const [kind = ""] = record.value.split("=");
  const nearest =
    answer.values.find((value) => isRight(record, value)) ??
    answer.values.find((value) => value.includes(kind)) ??
    answer.values[0];
  // Anyone can publish anything: what is shown stays short and free of control characters.
  return nearest?.slice(0, 255).replace(/\p{Cc}/gu, "\u{fffd}");
}
