import type { OperatorAccount } from "../../../api/api-types.ts";

/** What stops or endangers the mail of the account, the worst first. */
export function accountState(account: OperatorAccount): "suspended" | "held" | "warned" | "trial" | "sending" {
  if (account.suspended) return "suspended";
  if (account.hold !== null || account.guard.held_at !== null) return "held";
  if (account.guard.state === "warning") return "warned";
  return account.live.quotas.trial === null ? "sending" : "trial";
}

/** The lines of SES, as in the guard. The pause line is where the guard holds the mail. */
export const rateLines = {
  bounce: { review: 0.05, pause: 0.1 },
  complaint: { review: 0.001, pause: 0.005 },
} as const;

export function rateLevel(rate: number, { review, pause }: { review: number; pause: number }): "bad" | "warn" | "good" {
  if (rate > pause) return "bad";
  return rate > review ? "warn" : "good";
}

/** Of the bar, whose middle is the review line. */
export function barShare(rate: number, { review }: { review: number }): number {
  return Math.min(1, rate / (2 * review));
}
