import { expect, test } from "vitest";
import { createRateRefusals } from "./rate-refusals.ts";

const usage = { limits: [1, 1, 1], remaining: [0, 0, 0] };
const account = { accountId: "a", mode: "live" } as const;

test("a refusal lasts until the window has room, for that account and mode only", () => {
  let now = 5;
  const refusals = createRateRefusals(() => now);
  refusals.remember(account, 100, usage);
  expect(refusals.find(account)).toEqual({ retryMs: 100, usage });
  expect(refusals.find({ ...account, mode: "test" })).toBeUndefined();
  now = 104.5;
  expect(refusals.find(account)?.retryMs).toBe(1);
  now = 105;
  expect(refusals.find(account)).toBeUndefined();
});

test("refusals take a bounded amount of memory", () => {
  const refusals = createRateRefusals(() => 0);
  for (let number = 0; number < 10_001; number++) refusals.remember({ ...account, accountId: `${number}` }, 10, usage);
  expect(refusals.find({ ...account, accountId: "0" })).toBeUndefined();
  expect(refusals.find({ ...account, accountId: "10000" })).toBeDefined();
});
