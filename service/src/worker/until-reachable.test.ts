import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { untilReachable } from "./until-reachable.ts";

test("it is tried again until the database can be reached", async () => {
  let tries = 0;
  await untilReachable(async () => {
    if (++tries < 4) throw new AppError("UNAVAILABLE", "Away.");
  }, 1);
  expect(tries).toBe(4);
});

test("anything else that goes wrong is thrown at once", async () => {
  let tries = 0;
  const work = async () => {
    tries++;
    throw new Error("a bug");
  };
  await expect(untilReachable(work, 1)).rejects.toThrow("a bug");
  expect(tries).toBe(1);
});
