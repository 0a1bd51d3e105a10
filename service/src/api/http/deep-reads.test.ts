import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { createDeepReads } from "./deep-reads.ts";

const farBack = 10_001;

/** Reads that end when the test says so. */
function aReader(limit = createDeepReads()) {
  const running: { accountId: string; end: () => void }[] = [];
  let most = 0;
  return {
    running,
    mostOfOneAccount: () => most,
    read: (accountId: string) =>
      limit.run(accountId, farBack, async () => {
        await new Promise<void>((end) => running.push({ accountId, end }));
        most = Math.max(most, running.filter((one) => one.accountId === accountId).length);
      }),
    async endFirst() {
      running.shift()?.end();
      await nextTick();
    },
  };
}

test("two accounts read at the same time, and each reads one page at a time", async () => {
  const { read, running, endFirst } = aReader();
  const reads = [read("a"), read("a"), read("b"), read("c")];
  await nextTick();
  expect(running.map(({ accountId }) => accountId)).toEqual(["a", "b"]);
  await endFirst();
  expect(running.map(({ accountId }) => accountId)).toEqual(["b", "a"]);
  await endFirst();
  expect(running.map(({ accountId }) => accountId)).toEqual(["a", "c"]);
  while (running.length > 0) await endFirst();
  await Promise.all(reads);
});

test("an account with 32 waiting reads gets 503, and another account is still served", async () => {
  const { read, running, endFirst, mostOfOneAccount } = aReader();
  const reads = Array.from({ length: 100 }, () => read("a"));
  const settled = Promise.allSettled([...reads, read("b")]);
  await nextTick();
  expect(running.map(({ accountId }) => accountId)).toEqual(["a", "b"]);
  while (running.length > 0) await endFirst();
  const outcomes = await settled;
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(34);
  expect(outcomes[100]?.status).toBe("fulfilled");
  expect(outcomes[99]).toMatchObject({ reason: { code: "UNAVAILABLE", retryAfterSeconds: 1 } });
  expect(mostOfOneAccount()).toBeLessThanOrEqual(1);
});

test("a read that waits too long gets 503, and a read that fails makes room for the next", async () => {
  const limit = createDeepReads(20);
  const { read, running, endFirst } = aReader(limit);
  const first = read("a");
  await expect(read("a")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  while (running.length > 0) await endFirst();
  await first;
  await expect(limit.run("a", farBack, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  await expect(limit.run("a", farBack, async () => "read")).resolves.toBe("read");
});

test("reads of pages near the newest entry are not limited", async () => {
  const limit = createDeepReads();
  void limit.run("a", farBack, () => new Promise<void>(() => undefined));
  const near = Array.from({ length: 100 }, () => limit.run("a", 10_000, async () => "read"));
  expect(new Set(await Promise.all(near))).toEqual(new Set(["read"]));
});
