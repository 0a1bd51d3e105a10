import type { Feedback } from "../feedback.ts";

/** What a recipient at `sandbox.test` chooses by its local part; `+label` may follow. Everyone else gets the mail. */
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
    ? Omit<One, keyof Feedback> & Pick<One, "kind">
    : never
  : never;

/** Something that will be told of one recipient: when it happens and when it is told, in seconds from the hand-over. */
export interface PlannedReport {
  specific: Specific;
  happensIn: number;
  toldIn: number;
  times: number;
}

const delivery = { kind: "delivery" } as const;
const hardBounce = { kind: "bounce", bounce: { type: "Permanent", subtype: "General" } } as const;
const softBounce = { kind: "bounce", bounce: { type: "Transient", subtype: "MailboxFull" } } as const;
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
      // Told in the wrong order; what happened first has the earlier time.
      return [{ ...soon(delivery), toldIn: 0.8 }, later(complaint, 0.4)];
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
  return { specific, happensIn: seconds, toldIn: seconds, times: 1 };
}
