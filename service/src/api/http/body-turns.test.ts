import { expect, test } from "vitest";
import { AppError } from "../../errors.ts";
import { createBodyTurns } from "./body-turns.ts";

const twoMiB = 2 * 1024 * 1024;
/** The pause is 140 ms. A timer may fire a little early. */
const minPauseMs = 130;

test("large bodies that arrive together are parsed one at a time with a pause after each, and owners take turns", async () => {
  const { wait } = turns();
  const parsed: { owner: string; at: number }[] = [];
  await Promise.all(
    ["a", "a", "a", "b"].map(async (owner) => {
      await wait(owner, twoMiB);
      parsed.push({ owner, at: performance.now() });
    }),
  );
  expect(parsed.map(({ owner }) => owner)).toEqual(["a", "a", "b", "a"]);
  const pauses = parsed.slice(1).map(({ at }, before) => at - (parsed[before]?.at ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(minPauseMs);
});

test("more bodies than may wait are refused, so that those of closed connections cannot fill the memory", async () => {
  const { wait } = turns();
  const bodies = Array.from({ length: 5 }, () => wait("a", twoMiB).catch((error: AppError) => error.code));
  expect(await Promise.all(bodies)).toEqual([undefined, undefined, undefined, undefined, "UNAVAILABLE"]);
});

function turns() {
  return createBodyTurns({ perOwner: 3, total: 4, refuse: () => new AppError("UNAVAILABLE", "Too many.") });
}
