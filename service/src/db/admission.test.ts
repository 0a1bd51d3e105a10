import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AppError } from "../errors.ts";
import { createAdmission } from "./admission.ts";
import { createBatch } from "./batch.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A batch whose round trips end when the test says so. */
function aBatch(options: { maxItems?: number; minInProgress?: number } = {}) {
  const { maxItems = 200, minInProgress = 400 } = options;
  const trips: { items: number[]; answer(): void; fail(error: Error): void }[] = [];
  const admission = createAdmission({ maxRoundTrips: 2, minInProgress });
  const add = createBatch({
    run: (items: number[]) =>
      new Promise<number[]>((resolve, reject) => {
        trips.push({ items, answer: () => resolve(items), fail: reject });
      }),
    maxItems,
    maxBytes: 1_000_000,
    sizeOf: () => 1,
    secondBatchFrom: 16,
    admission,
  });
  return { add: (item: number) => outcomeOf(add(item)), trips, admission, pass: vi.advanceTimersByTimeAsync };
}

/** What a caller has got so far. */
function outcomeOf(promise: Promise<number>) {
  const outcome: { answer?: number; error?: unknown } = {};
  promise.then(
    (answer) => Object.assign(outcome, { answer }),
    (error: unknown) => Object.assign(outcome, { error }),
  );
  return outcome;
}

const refused = { error: expect.objectContaining({ code: "UNAVAILABLE", retryAfterSeconds: expect.any(Number) }) };

describe("a database that does not answer", () => {
  test("an item is refused within a second, although the round trip before it has not ended, and never runs", async () => {
    const { add, trips, pass } = aBatch();
    const first = add(1);
    await pass(0);
    const waiting = add(2);
    await pass(700);
    expect(waiting).toEqual({});
    await pass(300);
    expect(waiting).toMatchObject(refused);
    trips[0]?.answer();
    await pass(0);
    expect(first).toEqual({ answer: 1 });
    expect(trips.map(({ items }) => items)).toEqual([[1]]);
  });

  test("new items are refused at once while both round trips take longer than a second, and accepted after one ended", async () => {
    const { add, trips, pass } = aBatch();
    add(1);
    await pass(0);
    for (let item = 0; item < 16; item++) add(item);
    await pass(1_050);
    expect(trips).toHaveLength(2);
    const late = add(100);
    await pass(0);
    expect(late).toMatchObject(refused);
    trips[0]?.answer();
    await pass(0);
    add(101);
    await pass(0);
    expect(trips[2]?.items).toEqual([101]);
  });

  test("one broken connection does not stop the others: a round trip starts beside it", async () => {
    const { add, trips, pass } = aBatch();
    add(1);
    await pass(1_050);
    const second = add(2);
    await pass(0);
    trips[1]?.answer();
    await pass(0);
    expect(second).toEqual({ answer: 2 });
    const third = add(3);
    await pass(0);
    trips[2]?.answer();
    await pass(0);
    expect(third).toEqual({ answer: 3 });
  });

  test("after a failed connection one round trip at a time tries again, and the others are refused at once", async () => {
    const { add, trips, pass } = aBatch();
    const lost = new AppError("UNAVAILABLE", "Gone.", { cause: new Error("Connection terminated unexpectedly") });
    const first = add(1);
    await pass(0);
    trips[0]?.fail(lost);
    await pass(0);
    expect(first).toEqual({ error: lost });
    const trial = add(2);
    await pass(0);
    const others = [add(3), add(4)];
    await pass(0);
    expect(others).toMatchObject([refused, refused]);
    trips[1]?.answer();
    await pass(0);
    expect(trial).toEqual({ answer: 2 });
    const later = [add(5), add(6)];
    await pass(0);
    trips[2]?.answer();
    await pass(0);
    expect(later).toEqual([{ answer: 5 }, { answer: 6 }]);
  });

  test("a process that could not run for seconds does not take that for a database that does not answer", async () => {
    const { add, trips, pass } = aBatch();
    const first = add(1);
    await pass(0);
    const waiting = add(2);
    const now = performance.now();
    const frozen = vi.spyOn(performance, "now").mockImplementation(() => now + 5_000);
    await pass(50);
    expect(waiting).toEqual({});
    trips[0]?.answer();
    await pass(0);
    trips[1]?.answer();
    await pass(0);
    frozen.mockRestore();
    expect([first, waiting]).toEqual([{ answer: 1 }, { answer: 2 }]);
  });

  test("a database that always takes 900 ms is slow, and after a few round trips nothing is refused", async () => {
    const { add, trips, pass } = aBatch();
    const outcomes: { error?: unknown }[] = [];
    for (let trip = 0; trip < 14; trip++) {
      if (trip >= 10) outcomes.push(add(trip));
      else add(trip);
      await pass(1);
      if (trip >= 10) outcomes.push(add(100 + trip));
      await pass(899);
      for (const { answer } of trips) answer();
      await pass(0);
    }
    expect(outcomes.map(({ error }) => error)).toEqual(Array(8).fill(undefined));
  });
});

describe("more items than the database can answer in time", () => {
  test("they are refused before they wait, and each refused caller returns later than the one before", async () => {
    const { add, trips, admission, pass } = aBatch({ maxItems: 100, minInProgress: 200 });
    // 100 items take a second each time: 10 ms per item.
    for (let trip = 0; trip < 10; trip++) {
      for (let item = 0; item < 100; item++) add(item);
      await pass(1_000);
      for (const { answer } of trips) answer();
      await pass(0);
    }
    const outcomes = Array.from({ length: 600 }, (_, item) => add(item));
    await pass(0);
    const errors = outcomes.flatMap(({ error }) => (error instanceof AppError ? [error] : []));
    expect(errors).toHaveLength(400);
    const delays = errors.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds);
    expect(delays).toEqual(delays.toSorted((one, other) => one - other));
    expect([delays[0], delays.at(-1)]).toEqual([2, 9]);
    expect(() => admission.requireCapacity()).toThrow("overloaded");
  });

  test("a burst into an idle process is accepted", async () => {
    const { add, pass } = aBatch();
    const outcomes = Array.from({ length: 1_900 }, (_, item) => add(item));
    await pass(0);
    expect(outcomes.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
