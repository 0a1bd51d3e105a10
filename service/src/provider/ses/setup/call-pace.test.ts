import { expect, test } from "vitest";
import { ProviderError } from "../../email-provider.ts";
import { createPace, sesPauseMs } from "./call-pace.ts";

test("calls to SES are a second apart, and so is a throttled one from its next try", async () => {
  const pace = createPace(sesPauseMs);
  const calledAt: number[] = [];
  const call = async () => {
    calledAt.push(performance.now());
    if (calledAt.length === 1) throw new ProviderError("throttled", "Too fast.", undefined);
  };
  await pace(call);
  await pace(call);
  const [first = 0, second = 0, third = 0] = calledAt;
  // A timer may fire a millisecond early.
  expect(Math.min(second - first, third - second)).toBeGreaterThan(sesPauseMs - 2);
  expect(calledAt).toHaveLength(3);
});
