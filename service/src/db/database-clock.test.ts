import { expect, test } from "vitest";
import { createDatabaseClock } from "./database-clock.ts";

test("the clock follows the database and not the wall clock of the process", () => {
  const clock = createDatabaseClock(1_000_000);
  expect(clock.now() - 1_000_000).toBeLessThan(1000);
  clock.observe(5_000_000);
  expect(clock.now() - 5_000_000).toBeLessThan(1000);
  expect(clock.now()).toBeGreaterThanOrEqual(5_000_000 - 1);
});
