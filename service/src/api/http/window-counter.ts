import type { RateUsage } from "../../accept/accept-batch.ts";

export interface WindowCount {
  usage: RateUsage;
  /** Undefined when the request is admitted. */
  retryMs: number | undefined;
}

interface CountedWindow {
  seconds: number;
  limit: number;
}

const maxOwners = 10_000;

/**
 * Counts what each owner does in fixed windows that start with the first request after the last window, in this process. `cost` is how many
 * requests it counts as. A refused request is not counted.
 */
export function createWindowCounter(windows: readonly CountedWindow[], now: () => number) {
  const countOf = new Map<string, { usedIn: number[]; endsAt: number[] }>();
  const limits = windows.map(({ limit }) => limit);
  return (owner: string, cost = 1): WindowCount => {
    const time = now();
    const { usedIn, endsAt } = countOf.get(owner) ?? { usedIn: [], endsAt: [] };
    if (countOf.size >= maxOwners) countOf.clear();
    countOf.set(owner, { usedIn, endsAt });
    for (const [index, { seconds }] of windows.entries()) {
      if (time < (endsAt[index] ?? 0)) continue;
      usedIn[index] = 0;
      endsAt[index] = time + seconds * 1000;
    }
    const remaining = limits.map((limit, index) => limit - (usedIn[index] ?? 0));
    const waits = endsAt.filter((_, index) => (remaining[index] ?? 0) < cost).map((end) => end - time);
    if (waits.length > 0) return { usage: { limits, remaining }, retryMs: Math.max(...waits) };
    for (const index of windows.keys()) usedIn[index] = (usedIn[index] ?? 0) + cost;
    return { usage: { limits, remaining: remaining.map((left) => left - cost) }, retryMs: undefined };
  };
}
