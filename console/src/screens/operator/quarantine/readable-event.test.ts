import { expect, test } from "vitest";
import { readableEvent } from "./readable-event.ts";

test("the event inside the envelope of SNS is unwrapped", () => {
  const raw = JSON.stringify({ Type: "Notification", Message: JSON.stringify({ eventType: "Bounce" }) });
  expect(JSON.parse(readableEvent(raw))).toEqual({ Type: "Notification", Message: { eventType: "Bounce" } });
});

test.for(["not JSON", '{"open":'])("%j stays as it is", (raw) => {
  expect(readableEvent(raw)).toBe(raw);
});

test("a message that is no JSON stays a text", () => {
  expect(JSON.parse(readableEvent('{"Message":"hello"}'))).toEqual({ Message: "hello" });
});
