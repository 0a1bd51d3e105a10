import { expect, onTestFinished, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import type { Queryable } from "./database.ts";
import { createHint, openHints } from "./hints.ts";

const database = useTestDatabase();

test("a listener receives a hint", async () => {
  const received = await listener("one-hint");
  createHint(database.db, "one-hint")();
  await expect.poll(received).toBe(1);
});

test("a listener does not receive hints on other channels", async () => {
  const [received, other] = [await listener("this"), await listener("that")];
  createHint(database.db, "that")();
  await expect.poll(other).toBe(1);
  expect(received()).toBe(0);
});

test("any number of hints during one in flight is sent as one more", async () => {
  const gate = Promise.withResolvers<void>();
  let hints = 0;
  const slow: Queryable = {
    query: async () => {
      hints++;
      await gate.promise;
      return [];
    },
  };
  const hint = createHint(slow, "any");
  for (let calls = 0; calls < 100; calls++) hint();
  gate.resolve();
  await expect.poll(() => hints).toBe(2);
});

test("a hint that cannot be sent does not throw, and the next one is sent", async () => {
  const received = await listener("after-failure");
  let isBroken = true;
  const sometimes: Queryable = {
    query: (statement) => (isBroken ? Promise.reject(new Error("unreachable")) : database.db.query(statement)),
  };
  const hint = createHint(sometimes, "after-failure");
  hint();
  await new Promise((resolve) => setImmediate(resolve));
  isBroken = false;
  hint();
  await expect.poll(received).toBe(1);
});

test("a listener that lost its connection reconnects, and gets one hint for those it missed", async () => {
  const received = await listener("reconnects");
  await killListeners();
  await expect.poll(received, { timeout: 5_000 }).toBe(1);
  createHint(database.db, "reconnects")();
  await expect.poll(received).toBe(2);
});

test("a listener knows whether it listens", async () => {
  const hints = openHints({ directUrl: database.url, log: createLog("silent") });
  onTestFinished(() => hints.close());
  const { isListening } = hints.listen("known", () => undefined);
  expect(isListening()).toBe(false);
  await expect.poll(isListening).toBe(true);
  await killListeners();
  await expect.poll(isListening, { interval: 5 }).toBe(false);
  await expect.poll(isListening, { timeout: 5_000 }).toBe(true);
  await hints.close();
  expect(isListening()).toBe(false);
});

test("one connection listens to several channels, and to one that is added later, and gets them back after a loss", async () => {
  const hints = openHints({ directUrl: database.url, log: createLog("silent") });
  onTestFinished(() => hints.close());
  const calls = { first: 0, again: 0, later: 0 };
  hints.listen("first-of-many", () => calls.first++);
  hints.listen("first-of-many", () => calls.again++);
  await expect.poll(() => calls).toEqual({ first: 1, again: 1, later: 0 });
  hints.listen("later-of-many", () => calls.later++);
  await expect.poll(() => calls).toEqual({ first: 1, again: 1, later: 1 });
  createHint(database.db, "later-of-many")();
  await expect.poll(() => calls).toEqual({ first: 1, again: 1, later: 2 });
  expect(await killListeners()).toHaveLength(1);
  await expect.poll(() => calls, { timeout: 5_000 }).toEqual({ first: 2, again: 2, later: 3 });
  createHint(database.db, "first-of-many")();
  await expect.poll(() => calls).toEqual({ first: 3, again: 3, later: 3 });
});

function killListeners() {
  return database.db.query({
    name: "kill-listeners",
    text: `
      select pg_terminate_backend(pid) as ended
      from pg_stat_activity
      where application_name like 'postern-hints/%' and datname = current_database()`,
  });
}

/** Counts the hints after the initial one. */
async function listener(channel: string): Promise<() => number> {
  let calls = 0;
  const hints = openHints({ directUrl: database.url, log: createLog("silent") });
  onTestFinished(() => hints.close());
  hints.listen(channel, () => calls++);
  await expect.poll(() => calls).toBe(1);
  return () => calls - 1;
}
