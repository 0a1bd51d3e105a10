import { expect, test } from "vitest";
import type { Event } from "../../api/api-types.ts";
import { anEvent, bounced, delivered, type Entry } from "../send/send-fixture.ts";
import { type AddressFacts, answerAbout, describeAddress } from "./address-facts.ts";

function eventOf(entry: Entry): Event {
  if (entry.type !== "event") throw new Error("not an event");
  return entry.event;
}

const address = "jane@whitaker.example";
const suppression = {
  id: "019a0000-0000-7000-8000-000000000000",
  email: address,
  reason: "hard_bounce",
  suppressed_at: "2026-11-12T15:40:00.000Z",
  email_id: "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4",
  note: null,
  mode: "live",
} as const;

function facts(fields: Partial<AddressFacts> = {}): AddressFacts {
  const nothing = { lastDelivery: undefined, lastBounce: undefined, lastComplaint: undefined, removal: undefined };
  return { address, suppression: null, filtered: { count: 0, more: false }, ...nothing, ...fields };
}

const bounce = eventOf(bounced(2000, address));

test.for<[string, Partial<AddressFacts>, RegExp]>([
  ["nothing known", {}, /^Not suppressed\. No receiving server has answered about mail to this address\.$/],
  [
    "delivered",
    { lastDelivery: eventOf(delivered(10)) },
    /accepted the last mail\. Whether it is in the inbox is not known\.$/,
  ],
  [
    "bounced after a delivery",
    { lastDelivery: eventOf(delivered(10)), lastBounce: bounce },
    /The meaning of unknown-mailbox\.$/,
  ],
  [
    "delivered after a bounce",
    { lastDelivery: eventOf(delivered(9000)), lastBounce: bounce },
    /accepted the last mail/,
  ],
  ["complained", { lastComplaint: eventOf(anEvent("Complaint", 10)) }, /reported a mail as spam\.$/],
  [
    "suppressed by the bounce",
    { suppression, lastBounce: bounce, filtered: { count: 4, more: false } },
    /^Suppressed since 12.Nov, \d\d:40\. The meaning of unknown-mailbox\. Postern did not send 4 later mails\.$/,
  ],
  [
    "one later mail",
    { suppression, filtered: { count: 1, more: false } },
    /A mail bounced permanently\. Postern did not send 1 later mail\.$/,
  ],
  [
    "very many later mails",
    { suppression, filtered: { count: 100, more: true } },
    /Postern did not send 100 or more later mails\.$/,
  ],
  [
    "suppressed by another bounce than the last",
    { suppression: { ...suppression, email_id: "019a0000-0000-7000-8000-000000000001" }, lastBounce: bounce },
    /A mail bounced permanently\./,
  ],
  [
    "suppressed by hand",
    { suppression: { ...suppression, reason: "manual", note: "Asked by phone" }, lastBounce: bounce },
    /Somebody added it: Asked by phone/,
  ],
  ["suppressed by a complaint", { suppression: { ...suppression, reason: "complaint" } }, /reported a mail as spam\./],
  [
    "lifted",
    { removal: { removedAt: "2026-11-12T15:40:00.000Z", by: "ada@fernhill.example", provider: "pending" } },
    /lifted on 12.Nov, \d\d:40 by ada@fernhill\.example\. SES has not confirmed/,
  ],
])("%s", ([, fields, text]) => {
  const { state, text: rest } = describeAddress(facts(fields));
  expect(`${state} ${rest}`).toMatch(text);
});

test("the copied answer has times in UTC and the server's words", () => {
  const text = answerAbout(
    facts({
      suppression,
      lastBounce: bounce,
      lastDelivery: eventOf(delivered(10)),
      filtered: { count: 4, more: false },
    }),
  );
  expect(text.split("\n")).toEqual([
    `${address} is suppressed since 2026-11-12T15:40:00.000Z. The meaning of unknown-mailbox. Postern did not send 4 later mails.`,
    "",
    "Last delivered: 2026-11-16T14:22:04.128Z",
    "Last bounce: 2026-11-16T14:22:06.118Z",
    "The server said: 550 5.1.1 User unknown",
    "",
  ]);
});
