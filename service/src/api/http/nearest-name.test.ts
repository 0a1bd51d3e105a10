import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const known = ["from", "to", "subject", "reply_to", "idempotency_key", "cc"];

test.for([
  ["subjet", "subject"],
  ["replyTo", "reply_to"],
  ["idempotencyKey", "idempotency_key"],
  ["form", "from"],
  ["reply", "reply_to"],
  ["t0", "to"],
] as const)("%s probably means %s", ([given, meant]) => {
  expect(nearestName(given, known)).toBe(meant);
});

test.for(["attachments", "x", "", "y".repeat(10_000)])("%s resembles nothing known", (given) => {
  expect(nearestName(given, known)).toBeUndefined();
});
