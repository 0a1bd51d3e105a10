import { expect, onTestFinished, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import type { Queryable } from "./database.ts";
import { createHint, listenForHints } from "./hints.ts";

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
  const hints = listenForHints({
    directUrl: database.url,
    channel: "known",
    onHint: () => undefined,
    log: createLog("silent"),
  });
  onTestFinished(() => hints.close());
  expect(hints.isListening()).toBe(false);
  await expect.poll(hints.isListening).toBe(true);
  await killListeners();
  await expect.poll(hints.isListening, { interval: 5 }).toBe(false);
  await expect.poll(hints.isListening, { timeout: 5_000 }).toBe(true);
  await hints.close();
  expect(hints.isListening()).toBe(false);
});

function killListeners() {
  return database.db.query({
    name: "kill-listeners",
    text: `
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where application_name like 'postern-hints/%' and datname = current_database()`,
  });
}

/** Counts the hints after the initial one. */
async function listener(channel: string): Promise<() => number> {
  let calls = 0;
  const hints = listenForHints({
    directUrl: database.url,
    channel,
    onHint: () => calls++,
    log: createLog("silent"),
  });
  onTestFinished(() => hints.close());
  await expect.poll(() => calls).toBe(1);
  return () => calls - 1;
}
