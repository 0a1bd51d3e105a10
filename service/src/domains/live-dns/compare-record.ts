import { isSameName } from "../dns-resolver.ts";
import { dmarcRecordsIn, policyOf, spfRecordsIn } from "./mail-policies.ts";
import type { DnsView } from "./read-answer.ts";
import type { WantedRecord } from "./wanted-record.ts";

export type RecordStatus = "found" | "missing" | "wrong" | "unknown";

export function compareRecord(record: WantedRecord, view: DnsView): RecordStatus {
  switch (view.kind) {
    case "unanswered":
      return "unknown";
    case "absent":
      return "missing";
    case "records":
      return compareValues(record, view.values);
  }
}

/** Other TXT records at the name of a policy concern other services, so they do not make it wrong. */
function compareValues({ purpose, expected }: WantedRecord, values: string[]): RecordStatus {
  switch (purpose) {
    case "ownership":
      return values.includes(expected ?? "") ? "found" : "wrong";
    case "dkim":
      return values.some((value) => isSameName(value, expected ?? "")) ? "found" : "wrong";
    case "mail-from":
      return isOnlyServer(values, expected ?? "") ? "found" : "wrong";
    case "spf": {
      const records = spfRecordsIn(values);
      if (records.length === 0) return "missing";
      const isEnough = expected === null || /\s[+]?include:amazonses\.com(\s|$)/i.test(records[0] ?? "");
      return records.length === 1 && isEnough ? "found" : "wrong";
    }
    case "dmarc": {
      const records = dmarcRecordsIn(values);
      if (records.length === 0) return values.some((value) => /dmarc1/i.test(value)) ? "wrong" : "missing";
      return records.length === 1 && policyOf(records[0] ?? "") !== undefined ? "found" : "wrong";
    }
  }
}

/** SES requires exactly one MX record; its preference does not matter. */
function isOnlyServer(values: string[], expected: string): boolean {
  const [, server = ""] = expected.split(" ");
  return values.length === 1 && isSameName(values[0]?.split(" ")[1] ?? "", server);
}
