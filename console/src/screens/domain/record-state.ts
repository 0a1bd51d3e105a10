import type { Domain, DomainDns, SeenDnsRecord } from "../../api/api-types.ts";
import { formatClock, formatDuration, toMilliseconds } from "../../parts/format-time.ts";
import { describeDifferences } from "./difference-words.ts";

export type RecordState = "found" | "missing" | "wrong" | "waiting" | "unknown";
type CheckedRecord = Domain["dns_records"][number];

export interface ShownRecord {
  type: string;
  name: string;
  value: string;
  state: RecordState;
  /** The published value that is not the expected one. */
  found?: string | undefined;
  /** What is the case, then why and what to do. */
  lead?: string | undefined;
  note?: string | undefined;
}

/**
 * The state of each required record. What DNS answers now counts more than the last scheduled check, because the owner of the domain
 * has just changed something and waits for the effect.
 */
export function requiredRecords(domain: Domain, dns: DomainDns | undefined, now: number): ShownRecord[] {
  return domain.dns_records.map((record) => {
    const { type, name, value } = record;
    const seen = dns?.records.find((each) => each.type === type && each.name === name);
    const state = seen === undefined ? atLastCheck(record, domain) : seenNow(record, seen, domain, now);
    return { type, name, value, ...state };
  });
}

type State = Pick<ShownRecord, "state" | "found" | "lead" | "note">;

function atLastCheck(record: CheckedRecord, domain: Domain): State {
  switch (record.status) {
    case "found":
      return { state: "found" };
    case "wrong":
      return wrong(record, record.found_value, domain.domain_name, record.hint);
    case "missing":
      return { state: "missing", lead: "The last check did not find it.", note: record.hint };
    case undefined:
      return domain.last_checked_at === null
        ? { state: "unknown", lead: "Not checked yet." }
        : { state: "unknown", lead: "DNS did not answer the last check.", note: record.hint };
  }
}

function seenNow(record: CheckedRecord, seen: SeenDnsRecord, domain: Domain, now: number): State {
  const { authoritative, resolver } = seen;
  switch (seen.status) {
    case "found":
      return resolver.status === "found" ? { state: "found" } : waiting(seen, now);
    case "wrong": {
      const values = authoritative.values.length > 0 ? authoritative.values : resolver.values;
      return wrong(record, nearestValue(record.value, values), domain.domain_name, seen.advice ?? undefined);
    }
    case "missing": {
      const isForgotten = resolver.status === "found";
      const lead = isForgotten ? "Your name server no longer has it." : "No such record is published.";
      return { state: "missing", lead, note: seen.advice ?? undefined };
    }
    case "unknown":
      return { state: "unknown", lead: "DNS did not answer.", note: seen.advice ?? undefined };
  }
}

/** The name server of the zone has the record; the resolver, which the checks ask, does not know it yet. */
function waiting({ resolver }: SeenDnsRecord, now: number): State {
  const note = {
    missing: `Our resolver remembers the absence ${until(resolver.negative_until, now)}. No action is needed.`,
    wrong: `Our resolver remembers an earlier value ${until(afterSeconds(resolver.ttl_seconds, now), now)}. No action is needed.`,
    unknown: "Our resolver did not answer. The next check asks it again.",
    found: undefined,
  }[resolver.status];
  return { state: "waiting", lead: "Your name server has it.", note };
}

function afterSeconds(seconds: number | null, now: number): string | null {
  return seconds === null ? null : new Date(now + seconds * 1000).toISOString();
}

/** "until 14:05, for 28 min" */
function until(end: string | null, now: number): string {
  if (end === null) return "for a while";
  const at = toMilliseconds(end);
  const leftMs = at - now;
  const clock = formatClock(at);
  return leftMs < 1000 ? `until ${clock}` : `until ${clock}, for ${formatDuration(Math.max(1000, leftMs))}`;
}

function wrong(
  { value }: CheckedRecord,
  found: string | undefined,
  domainName: string,
  hint: string | undefined,
): State {
  const words = found === undefined ? undefined : describeDifferences(value, found, domainName);
  const note = [words?.what, hint].filter((text) => text !== undefined && text !== "").join(" ");
  return { state: "wrong", found, lead: words?.count ?? "Another value is published.", note };
}

/** A TXT name can have values of other services; the one of the same kind is the mistyped one. */
function nearestValue(expected: string, values: string[]): string | undefined {
  const [kind = ""] = expected.split("=");
  return values.find((value) => value.includes(kind)) ?? values[0];
}
