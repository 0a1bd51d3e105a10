import type { Hold, SubmitResult } from "../provider/email-provider.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { nextDelaySeconds, throttledDelaySeconds } from "../queue/retry-schedule.ts";
import type { SendErrorCode } from "../queue/settle-sends.ts";
import type { AttemptMade } from "../queue/settle-statement.ts";

/** The next state of a claimed send. */
export type Move =
  | { kind: "sent"; providerMessageId: string }
  | { kind: "failed"; code: SendErrorCode; message: string }
  | { kind: "suppressed" }
  /** `usesRetryWindow`: the retry window runs, and the next delay is longer. */
  | { kind: "later"; delaySeconds: number; usesRetryWindow: boolean }
  /** `isLast`: behind all waiting sends, instead of at its old position. */
  | { kind: "given-back"; isLast?: boolean }
  /** The provider denies the domain of the sender. */
  | { kind: "parked" }
  | { kind: "in-doubt" };

/** The published status of a send after each move; `sends.status` stays `queued` for the last four. */
export const statusAfter = {
  sent: "sent",
  failed: "failed",
  suppressed: "suppressed",
  later: "queued",
  "given-back": "queued",
  parked: "queued",
  "in-doubt": "processing",
} as const;

/** The result of one attempt, before it is stored. */
export interface AttemptResult {
  outcome: AttemptMade["outcome"];
  move: Move;
  /** May contain addresses: it is stored with the attempt and never logged. */
  detail?: string;
  requestId?: string | undefined;
  /** What the answer of the provider means for other sends. */
  hold?: Hold | undefined;
  /** The error with which the provider denies the domain of the sender. */
  denialCode?: string;
  /** The tenant of the account has to be made ready for the domain again. */
  isTenantGone?: boolean;
  isThrottled?: boolean;
  isDomainRefused?: boolean;
}

const sandboxed =
  "The AWS account of this installation is still in the SES sandbox and may mail only addresses it has verified; " +
  "a recipient of this send is not one of them.";

export const domainNotVerified = {
  code: "DOMAIN_NOT_VERIFIED",
  message: "The domain of the sender is not verified.",
} as const;

/** Decides from the provider's answer what happens to this send. */
export function decideMove(send: ClaimedSend, answer: SubmitResult, giveUpAfterSeconds: number): AttemptResult {
  const { requestId } = answer;
  switch (answer.kind) {
    case "accepted":
      return { outcome: "accepted", requestId, move: { kind: "sent", providerMessageId: answer.providerMessageId } };
    case "refused":
      return {
        outcome: "refused",
        requestId,
        detail: answer.message,
        ...moveAfterRefusal(send, answer, giveUpAfterSeconds),
      };
    case "try-later":
      return {
        outcome: "try-later",
        requestId,
        detail: answer.message,
        ...moveAfterTryLater(send, answer, giveUpAfterSeconds),
      };
    case "denied":
      return {
        outcome: "try-later",
        requestId,
        detail: answer.message,
        denialCode: answer.code,
        move: { kind: "parked" },
      };
    case "not-started":
      return { outcome: "returned", detail: answer.message, move: { kind: "given-back" } };
    case "unknown":
      return { outcome: "unknown", requestId, detail: answer.message, move: { kind: "in-doubt" } };
  }
}

type Refusal = Extract<SubmitResult, { kind: "refused" }>;
type TryLater = Extract<SubmitResult, { kind: "try-later" }>;

function moveAfterRefusal(send: ClaimedSend, { code, message, unverified }: Refusal, giveUpAfterSeconds: number) {
  if (unverified.some((identity) => isOfDomain(identity, send.fromDomain))) {
    return { isDomainRefused: true, move: laterOrFailed(send, giveUpAfterSeconds, domainNotVerified) };
  }
  const reason = unverified.length > 0 ? sandboxed : `The provider refused this send: ${message}`;
  return { move: { kind: "failed", code, message: reason } as const };
}

function moveAfterTryLater(send: ClaimedSend, { hold, isThrottled }: TryLater, giveUpAfterSeconds: number) {
  if (hold !== undefined) return { hold, move: { kind: "given-back" } as const };
  if (isThrottled) {
    return {
      isThrottled,
      move: { kind: "later", delaySeconds: throttledDelaySeconds(), usesRetryWindow: false } as const,
    };
  }
  const message = "The provider was unavailable until Postern stopped retrying this send.";
  return { move: laterOrFailed(send, giveUpAfterSeconds, { code: "PROVIDER_UNAVAILABLE", message }) };
}

/** Retries until the retry window ends, and then fails for this reason. */
export function laterOrFailed(
  send: ClaimedSend,
  giveUpAfterSeconds: number,
  reason: { code: SendErrorCode; message: string },
): Move {
  const delaySeconds = nextDelaySeconds(send, giveUpAfterSeconds);
  return delaySeconds === undefined
    ? { kind: "failed", ...reason }
    : { kind: "later", delaySeconds, usesRetryWindow: true };
}

/** SES verifies a domain for all its addresses, so one unverified address means that the domain is not verified. */
function isOfDomain(identity: string, domain: string): boolean {
  const name = identity.toLowerCase();
  return name === domain || name.endsWith(`@${domain}`);
}
