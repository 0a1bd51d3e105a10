import type { SubmitResult } from "../../email-provider.ts";
import type { Feedback } from "../../feedback.ts";
import { type Finding, problem } from "../setup/finding.ts";
import type { CheckMail } from "./check-mails.ts";
import type { SeenEvent } from "./collect-events.ts";

/** A mail that SES accepted. */
export interface SubmittedMail {
  mail: CheckMail;
  sendId: string;
  messageId: string;
  /** By `performance.now()`, before the request. */
  startedAt: number;
  /** By the clock, before the request and after the answer. */
  between: [from: number, to: number];
}

export function eventsOf({ sendId }: SubmittedMail, events: SeenEvent[]): SeenEvent[] {
  return events.filter(({ feedback }) => feedback.sendId === sendId);
}

export function missingKinds(submitted: SubmittedMail, events: SeenEvent[]): Feedback["kind"][] {
  const seen = new Set(eventsOf(submitted, events).map(({ feedback }) => feedback.kind));
  return submitted.mail.expects.filter((kind) => !seen.has(kind));
}

const policyAdvice = "`postern aws setup --dry-run` prints the policy for the API and worker processes";

/** Why SES did not accept a mail of the check, and the fix. */
export function refusalFinding({ name, hasAttachment }: CheckMail, result: Refusal): Finding {
  const what = `SES did not accept the mail "${name}": ${result.message}`;
  return problem(`mail.${name}`, what, adviceFor(result, hasAttachment));
}

export type Refusal = Exclude<SubmitResult, { kind: "accepted" }>;

function adviceFor(result: Refusal, hasAttachment: boolean): string {
  switch (result.kind) {
    case "denied":
      return hasAttachment
        ? `grant ses:SendRawEmail, which SES seems to need for attachments; ${policyAdvice}`
        : `grant ses:SendEmail on the identity and on the configuration set; ${policyAdvice}`;
    case "refused":
      return result.unverified.length > 0
        ? `verify ${result.unverified.join(", ")} in SES in this region`
        : "SES objects to the mail itself: report its message as a bug of Postern";
    case "try-later":
      return adviceForLater(result, hasAttachment);
    case "not-started":
    case "unknown":
      return "check the network between this machine and SES, then run the check again";
  }
}

function adviceForLater({ hold, isThrottled }: Refusal & { kind: "try-later" }, hasAttachment: boolean): string {
  if (isThrottled) return "SES throttles: run the check again when the cell sends less";
  switch (hold) {
    case "quota":
      return "wait until the mails of the last 24 hours are older, or request a higher quota in the SES console";
    case "paused":
    case "suspended":
      return "SES has stopped the sending of this AWS account: find the reason in the SES console under Reputation metrics";
    case "operator":
      return hasAttachment
        ? `grant ses:SendRawEmail, which SES seems to need for attachments; ${policyAdvice}`
        : `grant ses:SendEmail; ${policyAdvice}`;
    case undefined:
      return "run the check again; if it persists, check the network between this machine and SES";
  }
}
