import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { untilWritten } from "./until-written.ts";

test("a result is written until it succeeds, whatever the error, and only the first failure is reported", async () => {
  const errors = [
    new AppError("UNAVAILABLE", "The database is down."),
    new Error("role may not log in"),
    new Error("a bug"),
  ];
  const reported: unknown[] = [];
  await untilWritten(
    async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
    },
    { onFailure: (error) => reported.push(error), pauseMs: 1 },
  );
  expect(errors).toEqual([]);
  expect(reported).toHaveLength(1);
});

test("a permanent error ends the retries, so that it does not occupy a slot forever", async () => {
  const work = () => Promise.reject(new Error("a bug"));
  await expect(untilWritten(work, { onFailure: () => undefined, maxTries: 3, pauseMs: 1 })).rejects.toThrow("a bug");
});
