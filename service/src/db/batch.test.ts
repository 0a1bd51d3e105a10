import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { aRecordedBatch } from "../../test/a-recorded-batch.ts";
import { createAdmission } from "./admission.ts";
import { createBatch } from "./batch.ts";

describe("sharing round trips", () => {
  test("calls of one tick share a batch, and each gets its own result", async () => {
    const { ran, add } = aRecordedBatch();
    expect(await Promise.all(["a", "b", "c"].map(add))).toEqual(["A", "B", "C"]);
    expect(ran).toEqual([["a", "b", "c"]]);
  });

  test("an item that counts as several is never split: it waits for a batch with room for all of it", async () => {
    const { ran, add } = aRecordedBatch({ maxItems: 3, countOf: (item) => item.length });
    await Promise.all(["a", "b", "cc", "d", "eeee", "f"].map(add));
    expect(ran).toEqual([["a", "b"], ["cc", "d"], ["eeee"], ["f"]]);
  });

  test("items that arrive while a batch runs go together into the next one", async () => {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { ran, add } = aRecordedBatch({
      async answer(items) {
        started.resolve();
        await gate.promise;
        return items.map((item) => item.toUpperCase());
      },
    });
    const first = add("a");
    await started.promise;
    const later = ["b", "c"].map(add);
    gate.resolve();
    expect(await Promise.all([first, ...later])).toEqual(["A", "B", "C"]);
    expect(ran).toEqual([["a"], ["b", "c"]]);
  });

  test("a second batch runs concurrently when enough items wait, and as many as the first has; a third never does", async () => {
    const gate = Promise.withResolvers<void>();
    const { ran, add } = aRecordedBatch({
      secondBatchFrom: 2,
      async answer(items) {
        await gate.promise;
        return items.map((item) => item.toUpperCase());
      },
    });
    const answers: Promise<string>[] = [];
    const addAll = async (...items: string[]) => {
      for (const item of items) {
        answers.push(add(item));
        await setImmediate();
      }
    };
    answers.push(...["a", "b", "c"].map(add));
    await setImmediate();
    await addAll("d", "e");
    expect(ran).toEqual([["a", "b", "c"]]);
    await addAll("f", "g", "h", "i", "j", "k");
    expect(ran).toEqual([
      ["a", "b", "c"],
      ["d", "e", "f"],
    ]);
    gate.resolve();
    expect(await Promise.all(answers)).toEqual([..."ABCDEFGHIJK"]);
    expect(ran.slice(2)).toEqual([["g", "h", "i", "j", "k"]]);
  });

  test("an item that arrives after everything was answered starts a new batch", async () => {
    const { ran, add } = aRecordedBatch();
    await add("a");
    expect(await add("b")).toBe("B");
    expect(ran).toEqual([["a"], ["b"]]);
  });

  test("no batch has more items than allowed", async () => {
    const { ran, add } = aRecordedBatch({ maxItems: 2 });
    expect(await Promise.all(["a", "b", "c", "d", "e"].map(add))).toEqual(["A", "B", "C", "D", "E"]);
    expect(ran).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });

  test("no batch has more bytes than allowed", async () => {
    const { ran, add } = aRecordedBatch({ maxBytes: 4 });
    await Promise.all(["aa", "bb", "c", "ddd", "e"].map(add));
    expect(ran).toEqual([["aa", "bb"], ["c", "ddd"], ["e"]]);
  });

  test("an item larger than the limit runs alone and in order", async () => {
    const { ran, add } = aRecordedBatch({ maxBytes: 4 });
    expect(await Promise.all(["a", "much-too-large", "b"].map(add))).toEqual(["A", "MUCH-TOO-LARGE", "B"]);
    expect(ran).toEqual([["a"], ["much-too-large"], ["b"]]);
  });
});

test("a batch with admission immediately refuses an item when too many bytes wait", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const ran: number[] = [];
  const add = createBatch({
    run: async (items: number[]) => {
      await released;
      ran.push(...items);
      return items;
    },
    maxItems: 1,
    maxBytes: 100,
    sizeOf: () => 10,
    maxWaitingBytes: 20,
    admission: createAdmission({ maxRoundTrips: 1, minInProgress: 100 }),
  });
  const first = add(1);
  await Promise.resolve();
  const waiting = [add(2), add(3)];
  await expect(add(4)).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: 2 });
  release();
  expect(await Promise.all([first, ...waiting])).toEqual([1, 2, 3]);
  expect(await add(5)).toBe(5);
  expect(ran).toEqual([1, 2, 3, 5]);
});
