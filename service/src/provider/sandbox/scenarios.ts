import type { AboutMail, Feedback } from "../feedback.ts";

/**
 * The local part of an address at `sandbox.test`, without `+label`, selects the outcome. Other addresses are
 * `delivered`.
 */
export const scenarioNames = [
  "delivered",
  "bounced",
  "soft-bounced",
  "complained",
  "rejected",
  "throttled",
  "unknown",
  "duplicated",
  "reordered",
  "late-bounce",
] as const;

export type Scenario = (typeof scenarioNames)[number];

export const sandboxDomain = "sandbox.test";

export function scenarioOf(recipient: string): Scenario {
  const [local = "", domain] = recipient.toLowerCase().split("@");
  const [name = ""] = local.split("+");
  return domain === sandboxDomain ? (scenarioNames.find((known) => known === name) ?? "delivered") : "delivered";
}

type Specific = Feedback extends infer One
  ? One extends Feedback
    ? Omit<One, Exclude<keyof AboutMail, "replies">>
    : never
  : never;

/** One future report: when its event happens and when the sandbox reports it, in seconds after the submission. */
export interface PlannedReport {
  specific: Specific;
  happensInSeconds: number;
  reportedInSeconds: number;
  times: number;
}

/** A report of the sandbox is about one recipient, so it has one reply. */
const delivery = { kind: "delivery", replies: [{ text: "250 2.0.0 OK" }] } satisfies Specific;
const hardBounce = {
  kind: "bounce",
  bounce: { type: "Permanent", subtype: "General" },
  replies: [{ status: "5.1.1", text: "smtp; 550 5.1.1 user unknown" }],
} satisfies Specific;
const softBounce = {
  kind: "bounce",
  bounce: { type: "Transient", subtype: "MailboxFull" },
  replies: [{ status: "4.2.2", text: "smtp; 452 4.2.2 mailbox full" }],
} satisfies Specific;
const complaint = { kind: "complaint", complaintType: "abuse", isSpam: true } as const;

export function reportsFor(scenario: Scenario): PlannedReport[] {
  switch (scenario) {
    case "bounced":
      return [soon(hardBounce)];
    case "soft-bounced":
      return [soon(softBounce)];
    case "complained":
      return [soon(delivery), later(complaint, 0.6)];
    case "duplicated":
      return [{ ...soon(delivery), times: 3 }];
    case "reordered":
      // The delivery happens before the complaint, and the sandbox reports it after the complaint.
      return [{ ...soon(delivery), reportedInSeconds: 0.8 }, later(complaint, 0.4)];
    case "late-bounce":
      return [soon(delivery), later(hardBounce, 2)];
    case "unknown":
      return [later(delivery, 1.5)];
    case "delivered":
    case "throttled":
      return [soon(delivery)];
    case "rejected":
      return [];
  }
}

function soon(specific: Specific): PlannedReport {
  return later(specific, 0.2);
}

function later(specific: Specific, seconds: number): PlannedReport {
  return { specific, happensInSeconds: seconds, reportedInSeconds: seconds, times: 1 };
}
