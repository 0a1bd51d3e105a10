import { expect, test } from "vitest";
import { startTicker } from "./ticker.ts";

test("a ticker repeats its run until it is stopped, and stopping waits for the current run", async () => {
  let runs = 0;
  let isInside = false;
  const ticker = startTicker({
    pauseMs: 1,
    run: async () => {
      isInside = true;
      await new Promise((resolve) => setTimeout(resolve, 5));
      isInside = false;
      runs++;
    },
    onFailure: () => undefined,
  });
  await expect.poll(() => runs).toBeGreaterThan(2);
  await ticker.stop();
  const atStop = runs;
  expect(isInside).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(runs).toBe(atStop);
});

test("a ticker reports the first of consecutive failures and continues", async () => {
  const outcomes = [false, false, true, false, true];
  const failures: unknown[] = [];
  let runs = 0;
  const ticker = startTicker({
    pauseMs: 1,
    run: async () => {
      if (outcomes[runs++] === false) throw new Error("failed");
    },
    onFailure: (error) => failures.push(error),
  });
  await expect.poll(() => runs).toBeGreaterThanOrEqual(outcomes.length);
  await ticker.stop();
  expect(failures).toHaveLength(2);
});
