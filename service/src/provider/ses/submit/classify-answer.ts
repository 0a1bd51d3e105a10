import type { SendEmailCommandOutput } from "@aws-sdk/client-sesv2";
import type { Hold, SubmitResult } from "../../email-provider.ts";
import { type AwsFault, isDenial, isNamedRefusal, isThrottle, readFault } from "../aws-fault.ts";

/** A 200 alone proves nothing: without an id there may be a mail that we cannot name. */
export function classifyAnswer({ MessageId, $metadata }: SendEmailCommandOutput): SubmitResult {
  const { requestId } = $metadata;
  if (typeof MessageId === "string" && MessageId !== "") {
    return { kind: "accepted", providerMessageId: MessageId, requestId };
  }
  return { kind: "unknown", message: "SES answered 200 without a MessageId.", requestId };
}

/**
 * Only what SES says in its own words with a 4xx, or what never left, is certainly not accepted. A 5xx is not, with or
 * without a name: a service can fail after it queued the mail, and what stands before it cannot know.
 */
export function classifyFailure(error: unknown): SubmitResult {
  const fault = readFault(error);
  switch (fault.neverLeft) {
    case "no-connection":
      return tryLater(fault, undefined);
    case "no-credentials":
    case "no-trust":
      return tryLater(fault, "operator");
    case undefined:
  }
  if (isThrottle(fault)) return throttled(fault);
  if (fault.status === 413) return refused(fault, "MESSAGE_TOO_LARGE");
  if (isNamedRefusal(fault)) return classifyRefusal(fault);
  return { kind: "unknown", message: `${fault.name}: ${fault.message}`, requestId: fault.requestId };
}

function classifyRefusal(fault: AwsFault): SubmitResult {
  switch (fault.name) {
    case "BadRequestException":
    case "MessageRejected":
      return refused(fault, isAboutSize(fault) ? "MESSAGE_TOO_LARGE" : "PROVIDER_REJECTED");
    case "SendingPausedException":
      return tryLater(fault, "paused");
    case "AccountSuspendedException":
      return tryLater(fault, "suspended");
    case "LimitExceededException":
      return /sending rate exceeded/i.test(fault.message) ? throttled(fault) : tryLater(fault, "quota");
    case "MailFromDomainNotVerifiedException":
      return tryLater(fault, undefined);
    default:
      // An operator's fault must not fail mail in bulk, nor must an error SES gets a name for next year.
      return tryLater(fault, isDenial(fault) || fault.status === 404 ? "operator" : undefined);
  }
}

/**
 * The daily quota may come as a throttle. Its text is looked for in no other class: those repeat what a customer wrote,
 * and one customer's words must not stop everyone's mail.
 */
function throttled(fault: AwsFault): SubmitResult {
  if (/daily message quota exceeded/i.test(fault.message)) return tryLater(fault, "quota");
  return { ...tryLater(fault, undefined), isThrottled: true };
}

function tryLater({ name, message, requestId }: AwsFault, hold: Hold | undefined) {
  const text = `${name}: ${message}`;
  return { kind: "try-later", hold, isThrottled: false, message: text, requestId } as const;
}

function refused(fault: AwsFault, code: "PROVIDER_REJECTED" | "MESSAGE_TOO_LARGE"): SubmitResult {
  const { message, requestId } = fault;
  return { kind: "refused", code, message, unverified: unverifiedIn(fault), requestId };
}

function isAboutSize({ message }: AwsFault): boolean {
  return /^message (length|size)\b|^maximum message (length|size) exceeded/i.test(message);
}

/** "Email address is not verified. The following identities failed the check in region EU-WEST-1: a@b.test, c.test" */
function unverifiedIn({ name, message }: AwsFault): string[] {
  const pattern = /^email address is not verified\..*? failed the check in region [A-Z0-9-]+: (.+)$/i;
  const list = name === "MessageRejected" ? pattern.exec(message)?.[1] : undefined;
  const named = list?.split(",").map((item) => /<([^<>]+)>/.exec(item)?.[1] ?? item.trim()) ?? [];
  // A comma in a display name leaves a piece of the name behind, which is no identity.
  return [...new Set(named.filter((item) => /^\S+[@.]\S+$/.test(item)))];
}
