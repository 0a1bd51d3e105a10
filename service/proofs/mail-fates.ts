import { randomUUID } from "node:crypto";
import { eventText, type ReportedMail, type Told } from "./event-texts.ts";
import type { Dice } from "./seeded-random.ts";

const mostCopies = 8;

type Fate = (mail: ReportedMail, told: Telling) => Told[];

/** Builds what is told of a mail; each has a time of its own, as every happening has. */
interface Telling {
  delivery(recipients: string[]): Told;
  delay(recipients: string[]): Told;
  bounce(recipients: string[], bounceType: "Permanent" | "Transient" | "Undetermined"): Told;
  complaint(recipients: string[], complaintType: string | undefined): Told;
}

/** Everything that can become of a mail, by the documentation of SES; the number says how common it is here. */
const fates: [name: string, share: number, fate: Fate][] = [
  ["delivered", 30, ({ recipients }, told) => [told.delivery(recipients)]],
  ["nothing more is heard", 4, () => []],
  ["delayed, then delivered", 5, ({ recipients }, told) => [told.delay(recipients), told.delivery(recipients)]],
  ["one bounces for good", 10, (mail, told) => [...others(mail, told), told.bounce(firstOf(mail), "Permanent")]],
  ["all bounce for good", 5, ({ recipients }, told) => [told.bounce(recipients, "Permanent")]],
  ["one bounces for now", 8, (mail, told) => [...others(mail, told), told.bounce(firstOf(mail), "Transient")]],
  ["undetermined", 4, (mail, told) => [...others(mail, told), told.bounce(firstOf(mail), "Undetermined")]],
  ["out of office", 8, (mail, told) => [told.delivery(mail.recipients), told.bounce(firstOf(mail), "Transient")]],
  [
    "bounces after delivery",
    5,
    (mail, told) => [told.delivery(mail.recipients), told.bounce(firstOf(mail), "Permanent")],
  ],
  ["complaint", 7, (mail, told) => [told.delivery(mail.recipients), told.complaint(firstOf(mail), "abuse")]],
  [
    "complaint that names neighbours",
    4,
    ({ recipients }, told) => [told.delivery(recipients), told.complaint(recipients, undefined)],
  ],
  [
    "no complaint after all",
    3,
    (mail, told) => [told.delivery(mail.recipients), told.complaint(firstOf(mail), "not-spam")],
  ],
  [
    "bounces for good, and complains",
    3,
    (mail, told) => [told.bounce(firstOf(mail), "Permanent"), told.complaint(firstOf(mail), "fraud")],
  ],
  [
    "an address it was forwarded to bounces",
    3,
    (mail, told) => [
      told.delivery(mail.recipients),
      told.bounce([`forwarded-${mail.sendId}@elsewhere.io`], "Permanent"),
    ],
  ],
  ["rejected", 4, () => [{ type: "Reject", reason: "Bad content" }]],
];

function firstOf({ recipients }: ReportedMail): string[] {
  return recipients.slice(0, 1);
}

function others({ recipients }: ReportedMail, told: Telling): Told[] {
  return recipients.length > 1 ? [told.delivery(recipients.slice(1))] : [];
}

const shares = fates.reduce((sum, [, share]) => sum + share, 0);

function fateAt(place: number): (typeof fates)[number] {
  let from = 0;
  for (const entry of fates) {
    from += entry[1];
    if (place < from) return entry;
  }
  throw new RangeError("there is no such fate");
}

/** What SES will tell of this mail: that it was sent, and one fate. */
export function fateOf(dice: Dice, mail: ReportedMail): Told[] {
  const [, , fate] = fateAt(dice.roll(shares));
  return [{ type: "Send" }, ...fate(mail, tellingFrom(mail))];
}

function tellingFrom({ acceptedAt }: ReportedMail): Telling {
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

/** Every event once to eight times, each time about all its recipients together or about one at a time, in any case. */
export function textsOf(dice: Dice, mail: ReportedMail, told: Told[]): string[] {
  return told.flatMap((one) =>
    Array.from({ length: 1 + dice.roll(mostCopies) }, () => {
      if (!("recipients" in one) || dice.roll(2) === 0) return [eventText(mail, one)];
      return one.recipients.map((recipient) => {
        const spelled = dice.roll(4) === 0 ? recipient.toUpperCase() : recipient;
        return eventText(mail, { ...one, recipients: [spelled] });
      });
    }).flat(),
  );
}
