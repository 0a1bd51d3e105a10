import { expect, test } from "vitest";
import type { Event } from "../../api/api-types.ts";
import { anEvent, aSend, at, id } from "../send/send-fixture.ts";
import { shownRecipient, statusFor } from "./recipient-status.ts";

const jane = "jane@whitaker.example";
const two = [jane, "bob@oakmere.example"];

function events(list: [Event["event_type"], number, Partial<Event>?][], isComplete = true) {
  const read = list.map(([type, ms, fields]) => {
    const entry = anEvent(type, ms, fields);
    if (entry.type !== "event") throw new Error("not an event");
    return entry.event;
  });
  return {
    events: read.toSorted((one, other) => Date.parse(other.event_timestamp) - Date.parse(one.event_timestamp)),
    isComplete,
  };
}

test("without a searched address, or with one recipient, the status of the send is shown", () => {
  expect(statusFor(aSend({ status: "bounced", to_addresses: two }), undefined, undefined)).toEqual({
    status: "bounced",
    isOfSend: false,
  });
  expect(statusFor(aSend({ status: "bounced" }), jane, undefined)).toEqual({ status: "bounced", isOfSend: false });
});

test("Bob bounced and Jane got it: the list of Jane's mail says delivered", () => {
  const send = aSend({ status: "bounced", to_addresses: two });
  expect(statusFor(send, jane, events([["Delivery", 10]]))).toEqual({ status: "delivered", isOfSend: false });
});

test.for<[Parameters<typeof events>[0], string]>([
  [
    [
      ["Bounce", 10, { bounce_type: "Transient" }],
      ["Delivery", 20],
    ],
    "delivered",
  ],
  [
    [
      ["Delivery", 10],
      ["Bounce", 20, { bounce_type: "Permanent" }],
    ],
    "bounced",
  ],
  [
    [
      ["Delivery", 10],
      ["Complaint", 20],
    ],
    "complained",
  ],
  [[["Suppression", 0]], "suppressed"],
])("events rank as in the API: %o", ([list, status]) => {
  expect(statusFor(aSend({ status: "complained", to_addresses: two }), jane, events(list)).status).toBe(status);
});

test("events of other sends do not count", () => {
  const other = events([["Delivery", 10, { email_id: "019a0000-0000-7000-8000-000000000000" }]], true);
  expect(statusFor(aSend({ status: "bounced", to_addresses: two }), jane, other)).toEqual({
    status: "sent",
    isOfSend: false,
  });
  expect(id).not.toBe("019a0000-0000-7000-8000-000000000000");
});

test("unknown events make it the status of the send, and say so", () => {
  const send = aSend({ status: "bounced", to_addresses: two });
  expect(statusFor(send, jane, undefined)).toEqual({ status: "bounced", isOfSend: true });
  const newerOnly = events([["Delivery", 9_000_000, { email_id: "019a0000-0000-7000-8000-000000000000" }]], false);
  expect(statusFor(send, jane, newerOnly)).toEqual({ status: "bounced", isOfSend: true });
  const reachesBack = events([["Delivery", -1, { email_id: "019a0000-0000-7000-8000-000000000000" }]], false);
  expect(statusFor(send, jane, reachesBack)).toEqual({ status: "sent", isOfSend: false });
  expect(at(0)).toBe(send.queued_at);
});

test.for(["queued", "processing", "sent", "suppressed"] as const)(
  "%s is true for each recipient without an event",
  (status) => {
    expect(statusFor(aSend({ status, to_addresses: two }), jane, undefined)).toEqual({ status, isOfSend: false });
  },
);

test("the searched address is shown, as the send spells it", () => {
  expect(shownRecipient(["bob@x.example", "Jane@X.example"], "jane@x.example")).toBe("Jane@X.example");
  expect(shownRecipient(["bob@x.example"], undefined)).toBe("bob@x.example");
  expect(shownRecipient([], "jane@x.example")).toBe("");
});
