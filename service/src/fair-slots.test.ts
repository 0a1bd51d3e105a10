import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { AppError } from "./errors.ts";
import { createFairSlots } from "./fair-slots.ts";

const refuse = () => new AppError("UNAVAILABLE", "full");

/** Work that ends when the test says so. */
function someWork(limits: Partial<Parameters<typeof createFairSlots>[0]> = {}) {
  const options = { perOwner: 1, total: 2, waitingPerOwner: 50, waitingTotal: 1000, maxWaitMs: 60_000, refuse };
  const slots = createFairSlots({ ...options, ...limits });
  const running: { owner: string; end: () => void }[] = [];
  return {
    start: (owner: string) =>
      slots.run(owner, () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        running.push({ owner, end: resolve });
        return promise;
      }),
    owners: () => running.map(({ owner }) => owner),
    async endFirst() {
      running.shift()?.end();
      await nextTick();
    },
    async endAll() {
      for (; running.length > 0; await nextTick()) running.shift()?.end();
    },
  };
}

test("an owner that comes last gets the next slot, however many requests of others wait", async () => {
  const { start, owners, endFirst, endAll } = someWork();
  const all = [..."ab"].flatMap((owner) => Array.from({ length: 30 }, () => start(owner)));
  all.push(start("c"));
  await endFirst();
  expect(owners()).toEqual(["b", "a"]);
  await endFirst();
  expect(owners()).toEqual(["a", "b"]);
  await endFirst();
  expect(owners()).toEqual(["b", "c"]);
  await endAll();
  await Promise.all(all);
});

test("no owner and no sum of owners runs more than its limit, and all work runs in the end", async () => {
  const { start, owners, endFirst } = someWork({ perOwner: 2, total: 5 });
  const all = [..."abcd"].flatMap((owner) => Array.from({ length: 10 }, () => start(owner)));
  for (let ended = 0; ended < 40; ended++) {
    expect(owners().length).toBeLessThanOrEqual(5);
    // Later, the rest of the work may belong to fewer than three owners.
    if (ended < 30) expect(owners()).toHaveLength(5);
    for (const owner of "abcd") expect(owners().filter((one) => one === owner).length).toBeLessThanOrEqual(2);
    await endFirst();
  }
  await Promise.all(all);
});

test("beyond the limits of waiting work is refused, of one owner and of all", async () => {
  const { start, endAll } = someWork({ total: 1, waitingPerOwner: 2, waitingTotal: 3 });
  const admitted = [start("a"), start("a"), start("a")];
  await expect(start("a")).rejects.toThrow("full");
  admitted.push(start("b"));
  await expect(start("b")).rejects.toThrow("full");
  await endAll();
  await Promise.all(admitted);
});

test("when too much waits, the newest work of the longest queue is refused for another owner, but never an only one", async () => {
  const { start, owners, endFirst, endAll } = someWork({ total: 1, waitingTotal: 3 });
  const kept = [start("a"), start("a"), start("a")];
  const evicted = [start("a")];
  kept.push(start("b"));
  await expect(evicted[0]).rejects.toThrow("full");
  evicted.push(kept[2] ?? start("a"));
  kept[2] = start("c");
  await expect(evicted[1]).rejects.toThrow("full");
  await expect(start("d")).rejects.toThrow("full");
  await endFirst();
  expect(owners()).toEqual(["a"]);
  await endFirst();
  expect(owners()).toEqual(["b"]);
  await endAll();
  await Promise.all(kept);
});

test("work that has waited too long is refused, and failed work frees its slot", async () => {
  const { start, endAll } = someWork({ maxWaitMs: 20 });
  const first = start("a");
  await expect(start("a")).rejects.toThrow("full");
  await endAll();
  await first;
  const slots = createFairSlots({
    perOwner: 1,
    total: 1,
    waitingPerOwner: 1,
    waitingTotal: 1,
    maxWaitMs: 1000,
    refuse,
  });
  const failed = slots.run("a", () => Promise.reject(new Error("lost")));
  const second = slots.run("b", async () => "done");
  await expect(failed).rejects.toThrow("lost");
  await expect(second).resolves.toBe("done");
});
