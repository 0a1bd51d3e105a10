import { formatNumber } from "../../parts/format-number.ts";
import { formatAge } from "../../parts/format-time.ts";

/** "Used 3 minutes ago, 1,240 sends today": what a person must know before a key ends. */
export function keyUseText(lastUsedAt: string | null, sends: number | undefined, now: number): string {
  if (lastUsedAt === null) return "This key was never used.";
  const age = formatAge(Date.parse(lastUsedAt), { now });
  const used = age === "now" ? "Used just now" : `Used ${age}`;
  if (sends === undefined) return `${used}.`;
  return `${used}, ${formatNumber(sends)} ${sends === 1 ? "send" : "sends"} today.`;
}
