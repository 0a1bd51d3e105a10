import type { Hold } from "../provider/email-provider.ts";
import type { SendErrorCode } from "../queue/settle-sends.ts";
import type { AttemptMade } from "../queue/settle-statement.ts";

/** Where a claimed send goes next. */
export type Move =
  | { kind: "sent"; providerMessageId: string }
  | { kind: "failed"; code: SendErrorCode; message: string }
  | { kind: "suppressed" }
  /** `counts`: it uses up patience. */
  | { kind: "later"; delaySeconds: number; counts: boolean }
  /** `isLast`: behind all who wait, and not at its old place. */
  | { kind: "given-back"; isLast?: boolean }
  | { kind: "in-doubt" };

/** What is shown as the status of a send after each move. */
export const statusAfter = {
  sent: "sent",
  failed: "failed",
  suppressed: "suppressed",
  later: "queued",
  "given-back": "queued",
  "in-doubt": "processing",
} as const;

/** What became of one claimed send, before it is written down. */
export interface Delivery {
  outcome: AttemptMade["outcome"];
  move: Move;
  /** May hold addresses: it is stored with the attempt and never logged. */
  detail?: string;
  requestId?: string | undefined;
  /** What else the answer of the provider means. */
  hold?: Hold | undefined;
  isThrottled?: boolean;
  isDomainRefused?: boolean;
}
