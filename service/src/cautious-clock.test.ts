import { expect, test } from "vitest";
import { createCautiousClock } from "./cautious-clock.ts";

test("a suspension or a wall clock set ahead counts as time passed, and a wall clock set back does not", () => {
  let [monotonic, wall] = [100, 5_000];
  const clock = createCautiousClock(
    () => monotonic,
    () => wall,
  );
  const pass = (byMonotonic: number, byWall: number) => {
    [monotonic, wall] = [monotonic + byMonotonic, wall + byWall];
    return clock();
  };
  expect(pass(10, 10)).toBe(10);
  expect(pass(0, 60_000)).toBe(60_010);
  expect(pass(20, -3_600_000)).toBe(60_030);
  expect(pass(5, 5)).toBe(60_035);
});
