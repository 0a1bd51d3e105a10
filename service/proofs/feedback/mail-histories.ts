import { randomUUID } from "node:crypto";
import type { Dice } from "../seeded-random.ts";
import { eventText, type ReportedEvent, type ReportedMail } from "./event-texts.ts";

const mostCopies = 8;

type History = (mail: ReportedMail, events: EventBuilder) => ReportedEvent[];

/** Builds the events of a mail; each has its own time. */
interface EventBuilder {
  delivery(recipients: string[]): ReportedEvent;
  delay(recipients: string[]): ReportedEvent;
  bounce(recipients: string[], bounceType: "Permanent" | "Transient" | "Undetermined"): ReportedEvent;
  complaint(recipients: string[], complaintType: string | undefined): ReportedEvent;
}

/** Every history of a mail that the SES documentation describes. The number is its relative frequency here. */
const histories: [name: string, share: number, history: History][] = [
  ["delivered", 30, ({ recipients }, events) => [events.delivery(recipients)]],
  ["no further event", 4, () => []],
  ["delayed, then delivered", 5, ({ recipients }, events) => [events.delay(recipients), events.delivery(recipients)]],
  [
    "one bounces permanently",
    10,
    (mail, events) => [...others(mail, events), events.bounce(firstOf(mail), "Permanent")],
  ],
  ["all bounce permanently", 5, ({ recipients }, events) => [events.bounce(recipients, "Permanent")]],
  [
    "one bounces transiently",
    8,
    (mail, events) => [...others(mail, events), events.bounce(firstOf(mail), "Transient")],
  ],
  [
    "one bounce undetermined",
    4,
    (mail, events) => [...others(mail, events), events.bounce(firstOf(mail), "Undetermined")],
  ],
  [
    "out-of-office reply",
    8,
    (mail, events) => [events.delivery(mail.recipients), events.bounce(firstOf(mail), "Transient")],
  ],
  [
    "one bounces after delivery",
    5,
    (mail, events) => [events.delivery(mail.recipients), events.bounce(firstOf(mail), "Permanent")],
  ],
  ["complaint", 7, (mail, events) => [events.delivery(mail.recipients), events.complaint(firstOf(mail), "abuse")]],
  [
    "complaint that names all recipients",
    4,
    ({ recipients }, events) => [events.delivery(recipients), events.complaint(recipients, undefined)],
  ],
  [
    "complaint marked not-spam",
    3,
    (mail, events) => [events.delivery(mail.recipients), events.complaint(firstOf(mail), "not-spam")],
  ],
  [
    "permanent bounce and complaint",
    3,
    (mail, events) => [events.bounce(firstOf(mail), "Permanent"), events.complaint(firstOf(mail), "fraud")],
  ],
  [
    "bounce of a forwarding address",
    3,
    (mail, events) => [
      events.delivery(mail.recipients),
      events.bounce([`forwarded-${mail.sendId}@elsewhere.io`], "Permanent"),
    ],
  ],
  ["rejected", 4, () => [{ type: "Reject", reason: "Bad content" }]],
];

function firstOf({ recipients }: ReportedMail): string[] {
  return recipients.slice(0, 1);
}

function others({ recipients }: ReportedMail, events: EventBuilder): ReportedEvent[] {
  return recipients.length > 1 ? [events.delivery(recipients.slice(1))] : [];
}

const shares = histories.reduce((sum, [, share]) => sum + share, 0);

function historyAt(position: number): (typeof histories)[number] {
  let from = 0;
  for (const entry of histories) {
    from += entry[1];
    if (position < from) return entry;
  }
  throw new RangeError("the position is beyond the last history");
}

/** The events that SES reports for this mail: Send, then a random history. */
export function randomHistory(dice: Dice, mail: ReportedMail): ReportedEvent[] {
  const [, , history] = historyAt(dice.roll(shares));
  return [{ type: "Send" }, ...history(mail, eventBuilder(mail))];
}

function eventBuilder({ acceptedAt }: ReportedMail): EventBuilder {
  let at = Date.parse(acceptedAt);
  const next = () => {
    at += 137;
    return new Date(at).toISOString();
  };
  return {
    delivery: (recipients) => ({ type: "Delivery", at: next(), recipients }),
    delay: (recipients) => ({ type: "DeliveryDelay", at: next(), recipients }),
    bounce: (recipients, bounceType) => ({
      type: "Bounce",
      at: next(),
      recipients,
      feedbackId: randomUUID(),
      bounceType,
      bounceSubType: bounceType === "Undetermined" ? "Undetermined" : "General",
    }),
    complaint: (recipients, complaintType) => ({
      type: "Complaint",
      at: next(),
      recipients,
      feedbackId: randomUUID(),
      complaintType,
    }),
  };
}

/** Each event one to eight times. A copy names all recipients together, or one recipient per text, in any letter case. */
export function randomTexts(dice: Dice, mail: ReportedMail, events: ReportedEvent[]): string[] {
  return events.flatMap((event) =>
    Array.from({ length: 1 + dice.roll(mostCopies) }, () => {
      if (!("recipients" in event) || dice.roll(2) === 0) return [eventText(mail, event)];
      return event.recipients.map((recipient) => {
        const spelled = dice.roll(4) === 0 ? recipient.toUpperCase() : recipient;
        return eventText(mail, { ...event, recipients: [spelled] });
      });
    }).flat(),
  );
}
