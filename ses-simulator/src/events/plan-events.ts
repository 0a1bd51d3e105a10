import { domainOf } from "../ses/address.ts";
import type { ConfigurationSet } from "../ses/configuration-set.ts";
import { isMailboxSimulator, mailboxOutcome } from "../ses/mailbox-simulator.ts";
import { isSuppressed } from "../ses/suppression-operations.ts";
import type { Simulation } from "../simulation.ts";
import type { EventOptions } from "./event-options.ts";
import type { Outcome } from "./outcome.ts";
import type { EventDetails, PlannedEvent } from "./planned-event.ts";

interface Mail {
  recipients: string[];
  hasVirus: boolean;
  set: ConfigurationSet | undefined;
}

/** Decides all events at acceptance, so that a restart does not change them. */
export function planEvents(simulation: Simulation, mail: Mail, options: EventOptions): PlannedEvent[] {
  return withDelays(simulation, stepsOf(simulation, mail, options), options).map(({ details, afterSeconds }) => ({
    details,
    afterSeconds: options.delaySeconds + afterSeconds,
    copies: options.lost.includes(details.type) ? 0 : options.copies(),
  }));
}

/** Send comes first and then the steps in order; with `deliveryBeforeSend`, Send comes last. */
function withDelays({ settings }: Simulation, steps: EventDetails[][], { deliveryBeforeSend }: EventOptions) {
  const step = settings.outcomeAfterSeconds;
  const first = deliveryBeforeSend ? 0 : step;
  const outcomes = steps.flatMap((events, number) =>
    events.map((details) => ({ details, afterSeconds: first + number * step })),
  );
  const send: EventDetails = { type: "Send" };
  if (deliveryBeforeSend) return [...outcomes, { details: send, afterSeconds: steps.length * step }];
  return [{ details: send, afterSeconds: settings.sendEventAfterSeconds }, ...outcomes];
}

/** The first step holds the events right after the send; the second holds those that follow, such as a complaint. */
function stepsOf(simulation: Simulation, mail: Mail, options: EventOptions): EventDetails[][] {
  if (mail.hasVirus || options.outcomes.some(({ outcome }) => outcome.kind === "reject")) {
    return [[{ type: "Reject", reason: "Bad content" }]];
  }
  const first: EventDetails[] = [];
  const second: EventDetails[] = [];
  for (const recipient of mail.recipients) {
    const [one, two] = eventsFor(recipient, outcomeFor(simulation, mail, options, recipient));
    if (one !== undefined) first.push(one);
    if (two !== undefined) second.push(two);
  }
  const delivered = first.flatMap((event) => (event.type === "Delivery" ? event.recipients : []));
  const followUps =
    options.recipients === "one-by-one" ? second : second.map((event) => withSameDomainRecipients(event, delivered));
  return [mergeRecipients(first, options), mergeRecipients(followUps, options)];
}

/** Mailbox providers hide the complainer, so SES names every recipient at that domain who got the mail. */
function withSameDomainRecipients(event: EventDetails, delivered: string[]): EventDetails {
  const [complainer = ""] = event.type === "Complaint" ? event.recipients : [];
  if (event.type !== "Complaint" || isMailboxSimulator(complainer)) return event;
  return { ...event, recipients: delivered.filter((recipient) => domainOf(recipient) === domainOf(complainer)) };
}

function outcomeFor(simulation: Simulation, mail: Mail, options: EventOptions, recipient: string): Outcome {
  const fromMailbox = mailboxOutcome(recipient);
  if (fromMailbox !== undefined) return fromMailbox;
  if (isSuppressed(simulation, recipient, mail.set)) {
    return { kind: "bounce", bounceType: "Permanent", bounceSubType: "OnAccountSuppressionList" };
  }
  const match = options.outcomes.find(
    (rule) => rule.recipient === undefined || rule.recipient === recipient.toLowerCase(),
  );
  return match?.outcome ?? { kind: "deliver" };
}

function eventsFor(recipient: string, outcome: Outcome): EventDetails[] {
  const recipients = [recipient];
  switch (outcome.kind) {
    case "deliver":
      return [{ type: "Delivery", recipients }];
    case "bounce":
      return [{ type: "Bounce", recipients, bounceType: outcome.bounceType, bounceSubType: outcome.bounceSubType }];
    case "complain": {
      const { feedbackType } = outcome;
      return [
        { type: "Delivery", recipients },
        { type: "Complaint", recipients, ...(feedbackType !== undefined && { feedbackType }) },
      ];
    }
    case "out-of-office":
      return [
        { type: "Delivery", recipients },
        { type: "Bounce", recipients, bounceType: "Transient", bounceSubType: "General" },
      ];
    case "delay":
      return [
        { type: "DeliveryDelay", recipients, delayType: outcome.delayType },
        { type: "Delivery", recipients },
      ];
    case "reject":
      return [{ type: "Reject", reason: "Bad content" }];
  }
}

/** Merges events that differ only in their recipients. */
function mergeRecipients(events: EventDetails[], options: EventOptions): EventDetails[] {
  const groups = new Map<string, EventDetails>();
  for (const event of events) {
    if (!("recipients" in event)) return [event];
    const { recipients, ...shared } = event;
    const key = JSON.stringify([shared, groupOf(recipients[0] ?? "", options)]);
    const known = groups.get(key);
    const merged = known !== undefined && "recipients" in known ? known.recipients : [];
    groups.set(key, { ...event, recipients: [...new Set([...merged, ...recipients])] });
  }
  return [...groups.values()];
}

function groupOf(recipient: string, { recipients }: EventOptions): string {
  switch (recipients) {
    case "together":
      return "";
    case "by-domain":
      return domainOf(recipient);
    case "one-by-one":
      return recipient;
  }
}
