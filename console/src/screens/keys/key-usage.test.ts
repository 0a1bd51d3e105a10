import { expect, test } from "vitest";
import { sendsByKey, startOfToday } from "./key-usage.ts";

test("the sends of a key are the sum of its hours", () => {
  const entry = (api_key_id: string, accepted_sends: number) => ({
    start: "2026-11-17T00:00:00.000Z",
    api_key_id,
    accepted_sends,
    accepted_recipients: accepted_sends,
  });
  expect(sendsByKey([entry("a", 2), entry("b", 1), entry("a", 40)])).toEqual(
    new Map([
      ["a", 42],
      ["b", 1],
    ]),
  );
});

test("today begins at the midnight of the browser's zone", () => {
  const start = new Date(startOfToday(new Date(2026, 10, 17, 23, 59)));
  expect([start.getDate(), start.getHours(), start.getMinutes()]).toEqual([17, 0, 0]);
});
