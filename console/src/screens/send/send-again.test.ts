import { expect, test } from "vitest";
import type { SendContent } from "../../api/api-types.ts";
import { outcomesOf } from "./outcome.ts";
import { requestAgain, withoutMail } from "./send-again.ts";
import { anEvent, aSend, aTimeline, bounced, delivered } from "./send-fixture.ts";

function aContent(fields: Partial<SendContent> = {}): SendContent {
  return {
    id: "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4",
    mode: "live",
    from: "Fernhill Books <orders@fernhill.example>",
    to: ["a@x.example"],
    cc: [],
    bcc: [],
    reply_to: null,
    subject: "Hello",
    html: "<p>Hello</p>",
    text: null,
    ...fields,
  };
}

const none = {};

test("the request has the headers, tags and metadata of the first one", () => {
  const extras = { tags: ["receipt"], metadata: { order: "1001" } };
  const headers = { "X-Order": "1001" };
  expect(requestAgain(aContent({ headers }), extras, undefined)).toMatchObject({ headers, ...extras });
});

test("the request has what was sent and no empty fields", () => {
  const { from, to, subject, html } = aContent();
  expect(requestAgain(aContent(), none, undefined)).toEqual({ from, to, subject, html });
  const full = aContent({ cc: ["b@x.example"], bcc: ["c@x.example"], reply_to: "r@x.example", text: "Hello" });
  expect(requestAgain(full, none, undefined)).toEqual({
    from,
    to,
    subject,
    html,
    cc: ["b@x.example"],
    bcc: ["c@x.example"],
    reply_to: "r@x.example",
    text: "Hello",
  });
  expect(requestAgain(aContent({ html: null, text: "" }), none, undefined)).toEqual({ from, to, subject, text: "" });
});

test("only some recipients: the rest is left out, and `to` is filled from cc, then from one bcc", () => {
  const content = aContent({ to: ["a@x.example"], cc: ["B@x.example"], bcc: ["c@x.example", "d@x.example"] });
  expect(requestAgain(content, none, ["a@x.example", "c@x.example"])).toMatchObject({
    to: ["a@x.example"],
    bcc: ["c@x.example"],
  });
  expect(requestAgain(content, none, ["b@x.example"])).toMatchObject({ to: ["B@x.example"] });
  expect(requestAgain(content, none, ["b@x.example"])).not.toHaveProperty("cc");
  // Two blind copies never see each other.
  expect(requestAgain(content, none, ["c@x.example", "d@x.example"])).toMatchObject({
    to: ["c@x.example"],
    bcc: ["d@x.example"],
  });
});

test("bounced, suppressed and failed recipients have no copy; others have one or may have one", () => {
  const to_addresses = ["a@x.example", "b@x.example", "c@x.example", "d@x.example", "e@x.example"];
  const send = aSend({ status: "complained", to_addresses });
  const entries = [
    bounced(1, "a@x.example"),
    delivered(1, "b@x.example"),
    bounced(9, "b@x.example"),
    anEvent("Suppression", 0, { recipient: "c@x.example" }),
    anEvent("Complaint", 9, { recipient: "d@x.example" }),
  ];
  expect(withoutMail(outcomesOf(send, aTimeline(send, entries)))).toEqual(["a@x.example", "c@x.example"]);
});
