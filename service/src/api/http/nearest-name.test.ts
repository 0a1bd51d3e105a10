import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const known = ["from", "to", "subject", "reply_to", "idempotency_key", "cc"];

test.for([
  ["subjet", "subject"],
  ["replyTo", "reply_to"],
  ["idempotencyKey", "idempotency_key"],
  ["form", "from"],
  ["frmo", "from"],
  ["subejct", "subject"],
  ["reply", "reply_to"],
  ["t0", "to"],
] as const)("%s suggests %s", ([given, suggestion]) => {
  expect(nearestName(given, known)).toBe(suggestion);
});

test.for(["attachments", "x", "foo", "data", "", "y".repeat(10_000)])("%s suggests nothing", (given) => {
  expect(nearestName(given, known)).toBeUndefined();
});
