import type { RateUsage } from "../../accept/accept-batch.ts";

interface RateWindow {
  name: string;
  /** How `describeLimits` names the window. */
  per: string;
  seconds: number;
}

/** Each account has its own limits for these. */
export const sendWindows: readonly RateWindow[] = [
  { name: "second", per: "a second", seconds: 1 },
  { name: "10-seconds", per: "in 10 seconds", seconds: 10 },
  { name: "minute", per: "a minute", seconds: 60 },
];

/** For one account in one API process: enough for a screen that polls, and for a script that reads a list to its end. */
export const readWindows: readonly (RateWindow & { limit: number })[] = [
  { name: "second", per: "a second", seconds: 1, limit: 200 },
  { name: "minute", per: "a minute", seconds: 60, limit: 6_000 },
];

/**
 * For one account in one API process: changes of the suppression list. An import of up to 1,000 entries counts as 20, so an account adds at most
 * 150,000 entries a minute.
 */
export const writeWindows: readonly (RateWindow & { limit: number })[] = [
  { name: "second", per: "a second", seconds: 1, limit: 100 },
  { name: "minute", per: "a minute", seconds: 60, limit: 3_000 },
];

/** Follows draft-ietf-httpapi-ratelimit-headers: the limits of the account, and what remains after this request. */
export function rateLimitHeaders(
  { limits, remaining }: RateUsage,
  windows: readonly RateWindow[] = sendWindows,
): Record<string, string> {
  const policy = windows.map(({ name, seconds }, window) => `"${name}";q=${limits[window]};w=${seconds}`);
  const left = windows.map(({ name }, window) => `"${name}";r=${Math.max(0, remaining[window] ?? 0)}`);
  return { "ratelimit-policy": policy.join(", "), ratelimit: left.join(", ") };
}

export function describeLimits({ limits }: RateUsage, windows: readonly RateWindow[] = sendWindows): string {
  return windows.map(({ per }, window) => `${limits[window]} ${per}`).join(", ");
}
