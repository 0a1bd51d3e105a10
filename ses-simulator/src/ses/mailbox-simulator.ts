import type { Outcome } from "../events/outcome.ts";
import { domainOf } from "./address.ts";

const outcomes: Record<string, Outcome> = {
  success: { kind: "deliver" },
  bounce: { kind: "bounce", bounceType: "Permanent", bounceSubType: "General" },
  complaint: { kind: "complain", feedbackType: "abuse" },
  ooto: { kind: "out-of-office" },
  suppressionlist: { kind: "bounce", bounceType: "Permanent", bounceSubType: "Suppressed" },
};

export function isMailboxSimulator(spec: string): boolean {
  return domainOf(spec) === "simulator.amazonses.com";
}

/** The mailboxes SES documents, also with `+label`. Undefined for any other address. */
export function mailboxOutcome(spec: string): Outcome | undefined {
  if (!isMailboxSimulator(spec)) return undefined;
  const [box = ""] = spec.slice(0, spec.lastIndexOf("@")).toLowerCase().split("+");
  return Object.hasOwn(outcomes, box) ? outcomes[box] : undefined;
}
