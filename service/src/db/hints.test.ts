import { expect, onTestFinished, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import type { Queryable } from "./database.ts";
import { createHint, listenForHints } from "./hints.ts";

const database = useTestDatabase();

test("who listens is told", async () => {
  const heard = await listener("told");
  createHint(database.db, "told")();
  await expect.poll(heard).toBe(1);
});

test("a hint on another channel is not heard", async () => {
  const [heard, other] = [await listener("this"), await listener("that")];
  createHint(database.db, "that")();
  await expect.poll(other).toBe(1);
  expect(heard()).toBe(0);
});

test("what happens while a hint is under way is told by one more, however much it is", async () => {
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
  for (let news = 0; news < 100; news++) hint();
  gate.resolve();
  await expect.poll(() => hints).toBe(2);
});

test("a hint that fails harms nobody, and the next one is told", async () => {
  const heard = await listener("after-failure");
  let isBroken = true;
  const sometimes: Queryable = {
    query: (statement) => (isBroken ? Promise.reject(new Error("away")) : database.db.query(statement)),
  };
  const hint = createHint(sometimes, "after-failure");
  hint();
  await new Promise((resolve) => setImmediate(resolve));
  isBroken = false;
  hint();
  await expect.poll(heard).toBe(1);
});

test("a listener that lost its connection comes back, and looks once for what it missed", async () => {
  const heard = await listener("comes-back");
  await database.db.query({
    name: "kill-listeners",
    text: `
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where application_name = 'postern-hints' and datname = current_database()`,
  });
  await expect.poll(heard, { timeout: 5_000 }).toBe(1);
  createHint(database.db, "comes-back")();
  await expect.poll(heard).toBe(2);
});

/** Counts what it hears after its first look. */
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
