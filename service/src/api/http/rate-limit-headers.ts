import type { RateUsage } from "../../accept/accept-batch.ts";

const windows = [
  { name: "second", seconds: 1 },
  { name: "10-seconds", seconds: 10 },
  { name: "minute", seconds: 60 },
];

/** Follows draft-ietf-httpapi-ratelimit-headers: the limits of the account, and what remains after this request. */
export function rateLimitHeaders({ limits, remaining }: RateUsage): Record<string, string> {
  const policy = windows.map(({ name, seconds }, window) => `"${name}";q=${limits[window]};w=${seconds}`);
  const left = windows.map(({ name }, window) => `"${name}";r=${Math.max(0, remaining[window] ?? 0)}`);
  return { "ratelimit-policy": policy.join(", "), ratelimit: left.join(", ") };
}

export function describeLimits({ limits }: RateUsage): string {
  return `${limits[0]} a second, ${limits[1]} in 10 seconds, ${limits[2]} a minute`;
}
