import type { SendEmailCommandOutput } from "@aws-sdk/client-sesv2";
import { type Hold, type SubmitResult, tenantNotAssociated } from "../../email-provider.ts";
import { type AwsFault, errorCodeOf, isDenial, isNamedRefusal, isThrottle, readFault } from "../aws-fault.ts";

/** A 200 without a MessageId proves nothing: SES may have accepted a mail whose id we do not know. */
export function classifyAnswer({ MessageId, $metadata }: SendEmailCommandOutput): SubmitResult {
  const { requestId } = $metadata;
  if (typeof MessageId === "string" && MessageId !== "") {
    return { kind: "accepted", providerMessageId: MessageId, requestId };
  }
  return { kind: "unknown", message: "SES answered 200 without a MessageId.", requestId, errorCode: "no-message-id" };
}

/**
 * SES certainly did not accept the mail in three cases: (1) the request was not sent; (2) the answer is 429 or 413, from SES or a
 * proxy; (3) SES itself answered with another 4xx and an error name. A 5xx proves nothing, with or without a name: SES can fail
 * after it queued the mail, and a proxy cannot know whether SES did.
 */
export function classifyFailure(error: unknown, { hasTenant = false } = {}): SubmitResult {
  const fault = readFault(error);
  switch (fault.notSent) {
    case "no-connection":
      return tryLater(fault, undefined);
    case "no-credentials":
    case "untrusted-server":
      return tryLater(fault, "operator");
    case undefined:
  }
  if (isThrottle(fault)) return throttled(fault);
  if (fault.status === 413) return refused(fault, "MESSAGE_TOO_LARGE");
  if (isNamedRefusal(fault)) return classifyRefusal(fault, hasTenant);
  const { name, message, requestId } = fault;
  return { kind: "unknown", message: `${name}: ${message}`, requestId, errorCode: errorCodeOf(fault) };
}

function classifyRefusal(fault: AwsFault, hasTenant: boolean): SubmitResult {
  switch (fault.name) {
    case "BadRequestException":
    case "MessageRejected":
      return refused(fault, isAboutSize(fault) ? "MESSAGE_TOO_LARGE" : "PROVIDER_REJECTED");
    case "SendingPausedException":
      return hasTenant && isAboutTenant(fault) ? denied(fault) : tryLater(fault, "paused");
    case "AccountSuspendedException":
      return tryLater(fault, "suspended");
    case "LimitExceededException":
      return /sending rate exceeded/i.test(fault.message) ? throttled(fault) : tryLater(fault, "quota");
    case "MailFromDomainNotVerifiedException":
      return tryLater(fault, undefined);
    case "NotFoundException":
      // SendEmail names two resources that can be missing: the configuration set and the tenant.
      return denied(fault);
    default:
      if (isNotAssociated(fault)) return { ...denied(fault), code: tenantNotAssociated };
      if (namesResource(fault)) return denied(fault);
      // Neither a configuration error of the operator nor an error that SES adds in the future may fail all sends.
      return tryLater(fault, isDenial(fault) || fault.status === 404 ? "operator" : undefined);
  }
}

/**
 * SES may report the daily quota as a throttle. Only throttles are searched for its text: other errors quote text of
 * the customer, and one customer's text must not stop the mail of all accounts.
 */
function throttled(fault: AwsFault): SubmitResult {
  if (/daily message quota exceeded/i.test(fault.message)) return tryLater(fault, "quota");
  return { ...tryLater(fault, undefined), isThrottled: true };
}

function tryLater(fault: AwsFault, hold: Hold | undefined) {
  const { name, message, requestId } = fault;
  const errorCode = errorCodeOf(fault);
  return { kind: "try-later", hold, isThrottled: false, message: `${name}: ${message}`, requestId, errorCode } as const;
}

/**
 * A denial of a policy names the resource: "User `arn:…' is not authorized to perform `ses:SendEmail' on resource
 * `arn:aws:ses:eu-west-1:000000000000:identity/shop.test'", or in the newer form "… on resource: arn:… with an explicit deny in a
 * service control policy". A denial without a resource, such as an expired token, concerns every mail.
 */
function namesResource(fault: AwsFault): boolean {
  const pattern = / on resource:? [`'"]?arn:[\w-]+:ses:[\w-]*:\d*:(identity|configuration-set)\//;
  return isDenial(fault) && pattern.test(fault.message);
}

/** "Tenant not associated with resources [arn:aws:ses:eu-west-1:000000000000:configuration-set/postern-AA]", a 403. */
function isNotAssociated(fault: AwsFault): boolean {
  return isDenial(fault) && /^tenant not associated with resources? \[/i.test(fault.message);
}

/**
 * SES can pause one tenant. AWS does not document the text, so whatever does not name the whole account or the configuration set counts as
 * a pause of the tenant: if all tenants are paused after all, `holdIfWidespread` holds all mail.
 */
function isAboutTenant({ message }: AwsFault): boolean {
  return /\btenant\b/i.test(message) || !/\b(account|configuration set)\b/i.test(message);
}

function denied(fault: AwsFault) {
  const { name, message, requestId } = fault;
  const errorCode = errorCodeOf(fault);
  return { kind: "denied", code: name, message: `${name}: ${message}`, requestId, errorCode } as const;
}

function refused(fault: AwsFault, code: "PROVIDER_REJECTED" | "MESSAGE_TOO_LARGE"): SubmitResult {
  const { message, requestId } = fault;
  const errorCode = errorCodeOf(fault);
  return { kind: "refused", code, message, unverified: unverifiedIn(fault), requestId, errorCode };
}

function isAboutSize({ message }: AwsFault): boolean {
  return /^message (length|size)\b|^maximum message (length|size) exceeded/i.test(message);
}

/** "Email address is not verified. The following identities failed the check in region EU-WEST-1: a@b.test, c.test" */
function unverifiedIn({ name, message }: AwsFault): string[] {
  const pattern = /^email address is not verified\..*? failed the check in region [A-Z0-9-]+: (.+)$/i;
  const list = name === "MessageRejected" ? pattern.exec(message)?.[1] : undefined;
  const named = list?.split(",").map((item) => /<([^<>]+)>/.exec(item)?.[1] ?? item.trim()) ?? [];
  // The split at a comma in a display name leaves a fragment of the name, which is not an identity.
  return [...new Set(named.filter((item) => /^\S+[@.]\S+$/.test(item)))];
}
