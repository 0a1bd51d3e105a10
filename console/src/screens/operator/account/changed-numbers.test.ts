import { expect, test } from "vitest";
import { changedNumbers } from "./changed-numbers.ts";

test("only changed fields are sent; an empty field is null, and separators of thousands do not count", () => {
  const before = { per_day: 500, trial: null, bytes: 7 };
  expect(changedNumbers(before, { per_day: "500", trial: "", bytes: "7" })).toEqual({});
  expect(changedNumbers(before, { per_day: "5,000", trial: "20", bytes: "" })).toEqual({
    per_day: 5000,
    trial: 20,
    bytes: null,
  });
});

test("a text that is no number is sent as NaN, which the API refuses", () => {
  expect(changedNumbers({ trial: 1 }, { trial: "many" }).trial).toBeNaN();
});
