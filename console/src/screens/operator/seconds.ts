import { formatDuration } from "../../parts/format-time.ts";

/** "3 s", "12 min": a duration of the API, which is in seconds. */
export function formatSeconds(seconds: number): string {
  return formatDuration(seconds < 10 ? Math.floor(seconds) * 1000 : seconds * 1000).replace(".0", "");
}

/** "3 s ago" */
export function secondsAgo(seconds: number | null | undefined, never = "never"): string {
  if (seconds === null || seconds === undefined) return never;
  return seconds < 1 ? "now" : `${formatSeconds(seconds)} ago`;
}

/** "41 days", "less than a day", "more than ten years": a forecast is not more exact than that. */
export function forecastText(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  if (days < 1) return "less than a day";
  if (days > 3650) return "more than ten years";
  return days === 1 ? "1\u00a0day" : `${days}\u00a0days`;
}
