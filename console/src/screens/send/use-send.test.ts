import { expect, test } from "vitest";
import { aSend, aTimeline, at, delivered } from "./send-fixture.ts";
import { pollMs } from "./use-send.ts";

const minute = 60_000;

test.for([
  ["queued", 1, 2000],
  ["queued", 100 * minute, 2000],
  ["processing", 100 * minute, 2000],
  ["sent", 1, 2000],
  ["sent", 11 * minute, 15_000],
  ["failed", 1, false],
  ["suppressed", 1, false],
] as const)("a send that is %s after %i ms is read every %s ms", ([status, age, expected]) => {
  const send = aSend({ status });
  expect(pollMs({ send, timeline: aTimeline(send) }, Date.parse(at(age)))).toBe(expected);
});

test("a send is read until its last recipient has an outcome", () => {
  const send = aSend({ status: "delivered", to_addresses: ["jane@whitaker.example", "bob@oakmere.example"] });
  const one = [delivered(10)];
  const both = [...one, delivered(20, "bob@oakmere.example")];
  expect(pollMs({ send, timeline: aTimeline(send, one) }, Date.parse(at(1)))).toBe(2000);
  expect(pollMs({ send, timeline: aTimeline(send, both) }, Date.parse(at(1)))).toBe(false);
});
