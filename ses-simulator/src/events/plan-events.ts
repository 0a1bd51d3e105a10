import { domainOf } from "../ses/address.ts";
import type { ConfigurationSet } from "../ses/configuration-set.ts";
import { isMailboxSimulator, mailboxOutcome } from "../ses/mailbox-simulator.ts";
import { isSuppressed } from "../ses/suppression-list.ts";
import type { Simulation } from "../simulation.ts";
import type { EventManner } from "./event-manner.ts";
import type { Outcome } from "./outcome.ts";
import type { EventDetails, PlannedEvent } from "./planned-event.ts";

interface Mail {
  recipients: string[];
  isBad: boolean;
  set: ConfigurationSet | undefined;
}

/** Decides at acceptance what SES will say, so that a restart says the same. */
export function planEvents(simulation: Simulation, mail: Mail, manner: EventManner): PlannedEvent[] {
  return inOrder(simulation, stepsOf(simulation, mail, manner), manner).map(({ details, afterSeconds }) => ({
    details,
    afterSeconds: manner.delaySeconds + afterSeconds,
    copies: manner.lost.includes(details.type) ? 0 : manner.copies(),
  }));
}

/** Send, then one step after the other; on a bad day the steps first and Send last. */
function inOrder({ settings }: Simulation, steps: EventDetails[][], { deliveryBeforeSend }: EventManner) {
  const step = settings.outcomeAfterSeconds;
  const first = deliveryBeforeSend ? 0 : step;
  const outcomes = steps.flatMap((events, number) =>
    events.map((details) => ({ details, afterSeconds: first + number * step })),
  );
  const send: EventDetails = { type: "Send" };
  if (deliveryBeforeSend) return [...outcomes, { details: send, afterSeconds: steps.length * step }];
  return [{ details: send, afterSeconds: settings.sendEventAfterSeconds }, ...outcomes];
}

/** First step, second step: a complaint follows its delivery. */
function stepsOf(simulation: Simulation, mail: Mail, manner: EventManner): EventDetails[][] {
  if (mail.isBad || manner.outcomes.some(({ outcome }) => outcome.kind === "reject")) {
    return [[{ type: "Reject", reason: "Bad content" }]];
  }
  const first: EventDetails[] = [];
  const second: EventDetails[] = [];
  for (const recipient of mail.recipients) {
    const [one, two] = eventsAt(recipient, outcomeAt(simulation, mail, manner, recipient));
    if (one !== undefined) first.push(one);
    if (two !== undefined) second.push(two);
  }
  const delivered = first.flatMap((event) => (event.type === "Delivery" ? event.recipients : []));
  const told = manner.recipients === "one-by-one" ? second : second.map((event) => withNeighbours(event, delivered));
  return [group(first, manner), group(told, manner)];
}

/** Providers hide who complained, so SES names everyone at that domain who got the mail. */
function withNeighbours(event: EventDetails, delivered: string[]): EventDetails {
  const [complainer = ""] = event.type === "Complaint" ? event.recipients : [];
  if (event.type !== "Complaint" || isMailboxSimulator(complainer)) return event;
  return { ...event, recipients: delivered.filter((recipient) => domainOf(recipient) === domainOf(complainer)) };
}

function outcomeAt(simulation: Simulation, mail: Mail, manner: EventManner, recipient: string): Outcome {
  const fromMailbox = mailboxOutcome(recipient);
  if (fromMailbox !== undefined) return fromMailbox;
  if (isSuppressed(simulation, recipient, mail.set)) {
    return { kind: "bounce", bounceType: "Permanent", bounceSubType: "OnAccountSuppressionList" };
  }
  const chosen = manner.outcomes.find(
    (rule) => rule.recipient === undefined || rule.recipient === recipient.toLowerCase(),
  );
  return chosen?.outcome ?? { kind: "deliver" };
}

function eventsAt(recipient: string, outcome: Outcome): EventDetails[] {
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

/** Events that say the same of several recipients become one. */
function group(events: EventDetails[], manner: EventManner): EventDetails[] {
  const groups = new Map<string, EventDetails>();
  for (const event of events) {
    if (!("recipients" in event)) return [event];
    const { recipients, ...said } = event;
    const key = JSON.stringify([said, groupOf(recipients[0] ?? "", manner)]);
    const known = groups.get(key);
    const before = known !== undefined && "recipients" in known ? known.recipients : [];
    groups.set(key, { ...event, recipients: [...new Set([...before, ...recipients])] });
  }
  return [...groups.values()];
}

function groupOf(recipient: string, { recipients }: EventManner): string {
  switch (recipients) {
    case "together":
      return "";
    case "by-domain":
      return domainOf(recipient);
    case "one-by-one":
      return recipient;
  }
}
