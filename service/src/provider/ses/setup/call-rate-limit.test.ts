import { expect, test } from "vitest";
import { ProviderError } from "../../email-provider.ts";
import { createRateLimit, sesPauseMs } from "./call-rate-limit.ts";

test("calls to SES are a second apart, and so are the tries of a throttled call", async () => {
  const rateLimited = createRateLimit(sesPauseMs);
  const calledAt: number[] = [];
  const call = async () => {
    calledAt.push(performance.now());
    if (calledAt.length === 1) throw new ProviderError("throttled", "Too fast.", undefined);
  };
  await rateLimited(call);
  await rateLimited(call);
  const [first = 0, second = 0, third = 0] = calledAt;
  // A timer may fire a millisecond early.
  expect(Math.min(second - first, third - second)).toBeGreaterThan(sesPauseMs - 2);
  expect(calledAt).toHaveLength(3);
});
