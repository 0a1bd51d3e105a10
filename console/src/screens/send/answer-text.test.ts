import { expect, test } from "vitest";
import { addressOf, answerText } from "./answer-text.ts";
import { outcomesOf } from "./outcome.ts";
import { aSend, aTimeline, bounced, delayed, delivered, type Entry } from "./send-fixture.ts";

const bob = "bob@oakmere.example";

function answer(entries: Entry[], fields: Parameters<typeof aSend>[0] = {}) {
  const send = aSend({ to_addresses: [bob], ...fields });
  const [outcome] = outcomesOf(send, aTimeline(send, entries));
  return outcome === undefined ? "" : answerText(send, outcome);
}

test("a bounce has times in UTC, addresses, the SES id and the server's words, and no subject", () => {
  expect(answer([bounced(1900, bob)], { status: "bounced" })).toBe(
    [
      "Your server refused this mail to bob@oakmere.example permanently. Can you say why, or permit it?",
      "",
      "From: orders@fernhill.example",
      "To: bob@oakmere.example",
      "Accepted: 2026-11-16T14:22:04.118Z",
      "Submitted to Amazon SES: 2026-11-16T14:22:04.361Z",
      "SES message id: 0102019a8c41e7b2-6d0f41c7-000000",
      "Returned by your server: 2026-11-16T14:22:06.018Z",
      "Server: mx2.oakmere.example",
      "Status code: 5.1.1",
      "",
      "Your server said:",
      "550 5.1.1 User unknown",
      "",
    ].join("\n"),
  );
});

test("a delay says when the retries end; a delivery asks where the mail went", () => {
  const text = answer([delayed(37_000, bob, "2026-11-17T04:22:00.000Z")], { status: "sent" });
  expect(text).toContain("has not accepted this mail to bob@oakmere.example yet");
  expect(text).toContain("Retries end: 2026-11-17T04:22:00.000Z");
  expect(answer([delivered(1200, bob)])).toContain("Accepted by your server: 2026-11-16T14:22:05.318Z");
});

test("a send that SES never accepted has no empty lines for what does not exist", () => {
  const text = answer([], { status: "queued", sent_at: null, provider_message_id: null });
  expect(text).toContain("has not reached your server");
  expect(text).not.toMatch(/null|undefined|SES message id/);
});

test("the address of a mailbox with a name", () => {
  expect(addressOf('"Doe, Jane" <jane@x.example>')).toBe("jane@x.example");
  expect(addressOf("jane@x.example")).toBe("jane@x.example");
});
