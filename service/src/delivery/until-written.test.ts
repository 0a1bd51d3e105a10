import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { untilWritten } from "./until-written.ts";

test("what was learnt is written again and again, whatever goes wrong, and said once", async () => {
  const errors = [new AppError("UNAVAILABLE", "Away."), new Error("role may not log in"), new Error("a bug")];
  const said: unknown[] = [];
  await untilWritten(
    async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
    },
    { onFailure: (error) => said.push(error), pauseMs: 1 },
  );
  expect(errors).toEqual([]);
  expect(said).toHaveLength(1);
});

test("a bug does not keep its slot for ever", async () => {
  const work = () => Promise.reject(new Error("a bug"));
  await expect(untilWritten(work, { onFailure: () => undefined, maxTries: 3, pauseMs: 1 })).rejects.toThrow("a bug");
});
