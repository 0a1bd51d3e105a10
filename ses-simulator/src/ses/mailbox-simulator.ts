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

/** The outcome of a mailbox that SES documents, with or without `+label`. Undefined for any other address. */
export function mailboxOutcome(spec: string): Outcome | undefined {
  if (!isMailboxSimulator(spec)) return undefined;
  const [mailbox = ""] = spec.slice(0, spec.lastIndexOf("@")).toLowerCase().split("+");
  return Object.hasOwn(outcomes, mailbox) ? outcomes[mailbox] : undefined;
}
