import type { SubmitResult } from "../provider/email-provider.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { nextDelaySeconds, throttledDelaySeconds } from "../queue/retry-schedule.ts";
import type { SendErrorCode } from "../queue/settle-sends.ts";
import type { Delivery, Move } from "./delivery.ts";

const sandboxed =
  "The AWS account of this installation is still in the SES sandbox and may mail only addresses it has verified; " +
  "a recipient of this send is not one of them.";

export const domainNotVerified = {
  code: "DOMAIN_NOT_VERIFIED",
  message: "The domain of the sender is not verified.",
} as const;

/** What the provider's answer means for this send. */
export function classifySubmitResult(send: ClaimedSend, answer: SubmitResult, giveUpAfterSeconds: number): Delivery {
  const { requestId } = answer;
  switch (answer.kind) {
    case "accepted":
      return { outcome: "accepted", requestId, move: { kind: "sent", providerMessageId: answer.providerMessageId } };
    case "refused":
      return {
        outcome: "refused",
        requestId,
        detail: answer.message,
        ...classifyRefusal(send, answer, giveUpAfterSeconds),
      };
    case "try-later":
      return {
        outcome: "try-later",
        requestId,
        detail: answer.message,
        ...classifyDelay(send, answer, giveUpAfterSeconds),
      };
    case "unknown":
      return { outcome: "unknown", requestId, detail: answer.message, move: { kind: "in-doubt" } };
  }
}

type Refusal = Extract<SubmitResult, { kind: "refused" }>;
type TryLater = Extract<SubmitResult, { kind: "try-later" }>;

function classifyRefusal(send: ClaimedSend, { code, message, unverified }: Refusal, giveUpAfterSeconds: number) {
  if (unverified.some((identity) => isOfDomain(identity, send.fromDomain))) {
    return { isDomainRefused: true, move: laterOrFailed(send, giveUpAfterSeconds, domainNotVerified) };
  }
  const reason = unverified.length > 0 ? sandboxed : `The provider refused this send: ${message}`;
  return { move: { kind: "failed", code, message: reason } as const };
}

function classifyDelay(send: ClaimedSend, { hold, isThrottled }: TryLater, giveUpAfterSeconds: number) {
  if (hold !== undefined) return { hold, move: { kind: "given-back" } as const };
  if (isThrottled) {
    return { isThrottled, move: { kind: "later", delaySeconds: throttledDelaySeconds(), counts: false } as const };
  }
  const message = "The provider could not take this send for as long as it was tried.";
  return { move: laterOrFailed(send, giveUpAfterSeconds, { code: "PROVIDER_UNAVAILABLE", message }) };
}

/** Tries again as long as there is patience left, and then fails for this reason. */
export function laterOrFailed(
  send: ClaimedSend,
  giveUpAfterSeconds: number,
  reason: { code: SendErrorCode; message: string },
): Move {
  const delaySeconds = nextDelaySeconds(send, giveUpAfterSeconds);
  return delaySeconds === undefined ? { kind: "failed", ...reason } : { kind: "later", delaySeconds, counts: true };
}

/** A verified domain stands for all its addresses, so one of them that is not verified means that the domain is not. */
function isOfDomain(identity: string, domain: string): boolean {
  const name = identity.toLowerCase();
  return name === domain || name.endsWith(`@${domain}`);
}
