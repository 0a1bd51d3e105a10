import type { Usage } from "../api/api-types.ts";

export interface UsageSum {
  acceptedSends: number;
  acceptedRecipients: number;
  delivered: number;
  bouncedHard: number;
  bouncedSoft: number;
  complained: number;
  suppressed: number;
  failed: number;
  /** Deliveries by duration, one number for each bound and one for longer times. */
  deliveryTimes: number[];
}

const nothing: UsageSum = {
  acceptedSends: 0,
  acceptedRecipients: 0,
  delivered: 0,
  bouncedHard: 0,
  bouncedSoft: 0,
  complained: 0,
  suppressed: 0,
  failed: 0,
  deliveryTimes: [],
};

export function sumUsage(entries: readonly Usage[]): UsageSum {
  const sum: UsageSum = { ...nothing, deliveryTimes: [] };
  for (const entry of entries) {
    sum.acceptedSends += entry.accepted_sends;
    sum.acceptedRecipients += entry.accepted_recipients;
    sum.delivered += entry.delivered ?? 0;
    sum.bouncedHard += entry.bounced_hard ?? 0;
    sum.bouncedSoft += entry.bounced_soft ?? 0;
    sum.complained += entry.complained ?? 0;
    sum.suppressed += entry.suppressed ?? 0;
    sum.failed += entry.failed ?? 0;
    for (const [bucket, count] of (entry.delivery_times ?? []).entries()) {
      sum.deliveryTimes[bucket] = (sum.deliveryTimes[bucket] ?? 0) + count;
    }
  }
  return sum;
}

/** Recipients whose mail was delivered or came back. */
export function outcomesOf({ delivered, bouncedHard, bouncedSoft }: UsageSum): number {
  return delivered + bouncedHard + bouncedSoft;
}

/** The sum of each bar. An hour belongs to the last bar that starts at or before it. */
export function sumBars(entries: readonly Usage[], starts: readonly number[]): UsageSum[] {
  const bars: Usage[][] = starts.map(() => []);
  for (const entry of entries) {
    const hour = Date.parse(entry.start);
    const index = starts.findLastIndex((start) => start <= hour);
    bars[index]?.push(entry);
  }
  return bars.map(sumUsage);
}

/** The sums of each domain or key, in the order of the first entry of each. */
export function sumBy(entries: readonly Usage[], keyOf: (entry: Usage) => string): Map<string, UsageSum> {
  const groups = Map.groupBy(entries, keyOf);
  return new Map([...groups].map(([key, group]) => [key, sumUsage(group)]));
}

/**
 * The time within which this share of deliveries arrived. The API counts deliveries by ranges of time, so only the upper end of a range
 * is known: the true value is at most this. `Infinity` is longer than the last bound; undefined is no delivery.
 */
export function findQuantile(counts: readonly number[], boundsMs: readonly number[], share: number) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = Math.max(1, Math.ceil(share * total - 1e-9));
  let seen = 0;
  for (const [bucket, count] of counts.entries()) {
    seen += count;
    if (seen >= rank) return boundsMs[bucket] ?? Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}

const space = "\u00a0";

/** "≤ 4 s", "≤ 2 min 8 s", "≤ 1 h 9 min": rounded up, so that it stays true. */
export function formatAtMost(ms: number, lastBoundMs: number): string {
  if (ms === Number.POSITIVE_INFINITY) return `>${space}${formatLong(lastBoundMs, Math.floor)}`;
  return `≤${space}${formatLong(ms, Math.ceil)}`;
}

function formatLong(ms: number, round: (value: number) => number): string {
  if (ms < 120_000) return `${ms / 1000}${space}s`;
  if (ms < 3_600_000) {
    const seconds = round(ms / 1000);
    const rest = seconds % 60 === 0 ? "" : `${space}${seconds % 60}${space}s`;
    return `${Math.floor(seconds / 60)}${space}min${rest}`;
  }
  const minutes = round(ms / 60_000);
  return `${Math.floor(minutes / 60)}${space}h${minutes % 60 === 0 ? "" : `${space}${minutes % 60}${space}min`}`;
}
