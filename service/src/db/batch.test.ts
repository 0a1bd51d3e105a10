import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { createBatch } from "./batch.ts";
import type { Queryable } from "./database.ts";

const shared = useTestDatabase();

describe("sharing round trips", () => {
  test("callers of one tick share one, and each gets its own result", async () => {
    const { trips, add } = aRecordedBatch();
    expect(await Promise.all(["a", "b", "c"].map(add))).toEqual(["A", "B", "C"]);
    expect(trips).toEqual([["a", "b", "c"]]);
  });

  test("those that arrive while one is in flight go together with the next", async () => {
    const gate = Promise.withResolvers<void>();
    const departed = Promise.withResolvers<void>();
    const { trips, add } = aRecordedBatch({
      async answer(items) {
        departed.resolve();
        await gate.promise;
        return items.map((item) => item.toUpperCase());
      },
    });
    const first = add("a");
    await departed.promise;
    const later = ["b", "c"].map(add);
    gate.resolve();
    expect(await Promise.all([first, ...later])).toEqual(["A", "B", "C"]);
    expect(trips).toEqual([["a"], ["b", "c"]]);
  });

  test("where enough wait, and as many as the first trip carries, a second one goes beside it and no third", async () => {
    const gate = Promise.withResolvers<void>();
    const { trips, add } = aRecordedBatch({
      secondTripFrom: 2,
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
    expect(trips).toEqual([["a", "b", "c"]]);
    await addAll("f", "g", "h", "i", "j", "k");
    expect(trips).toEqual([
      ["a", "b", "c"],
      ["d", "e", "f"],
    ]);
    gate.resolve();
    expect(await Promise.all(answers)).toEqual([..."ABCDEFGHIJK"]);
    expect(trips.slice(2)).toEqual([["g", "h", "i", "j", "k"]]);
  });

  test("one that comes after everything was answered starts a new one", async () => {
    const { trips, add } = aRecordedBatch();
    await add("a");
    expect(await add("b")).toBe("B");
    expect(trips).toEqual([["a"], ["b"]]);
  });

  test("no trip carries more items than allowed", async () => {
    const { trips, add } = aRecordedBatch({ maxItems: 2 });
    expect(await Promise.all(["a", "b", "c", "d", "e"].map(add))).toEqual(["A", "B", "C", "D", "E"]);
    expect(trips).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });

  test("no trip carries more bytes than allowed", async () => {
    const { trips, add } = aRecordedBatch({ maxBytes: 4 });
    await Promise.all(["aa", "bb", "c", "ddd", "e"].map(add));
    expect(trips).toEqual([["aa", "bb"], ["c", "ddd"], ["e"]]);
  });

  test("an item larger than the limit travels alone and in its turn", async () => {
    const { trips, add } = aRecordedBatch({ maxBytes: 4 });
    expect(await Promise.all(["a", "much-too-large", "b"].map(add))).toEqual(["A", "MUCH-TOO-LARGE", "B"]);
    expect(trips).toEqual([["a"], ["much-too-large"], ["b"]]);
  });
});

describe("failures", () => {
  test("an item that PostgreSQL refuses fails alone; its neighbours are stored once each", async () => {
    await ask(shared.db, "create table positives (value integer constraint positives_positive check (value > 0))");
    const add = createBatch<number, number>({
      ...limits,
      run: (items) =>
        shared.db
          .query<{ value: number }>({
            name: "insert-positives",
            text: "insert into positives (value) select unnest($1::int[]) returning value",
            values: [items],
          })
          .then((rows) => rows.map((row) => row.value)),
    });
    const [one, refused, two] = await Promise.allSettled([1, -1, 2].map(add));
    expect([one, two]).toEqual([
      { status: "fulfilled", value: 1 },
      { status: "fulfilled", value: 2 },
    ]);
    expect(refused).toMatchObject({ status: "rejected", reason: { constraint: "positives_positive" } });
    expect(await ask(shared.db, "select value from positives order by value")).toEqual([{ value: 1 }, { value: 2 }]);
  });

  test("after a lost connection nothing is tried again, because it may have been stored", async () => {
    const lost = new AppError("UNAVAILABLE", "Gone.", { cause: new Error("Connection terminated unexpectedly") });
    const { trips, add } = aRecordedBatch({ answer: () => Promise.reject(lost) });
    const outcomes = await Promise.allSettled(["a", "b"].map(add));
    expect(outcomes).toEqual(Array(2).fill({ status: "rejected", reason: lost }));
    expect(trips).toHaveLength(1);
  });

  test.for([
    ["ended the connection", "57P01"],
    ["gave up by its own time limit", "57014"],
    ["had no room on its disk", "53100"],
  ])("after the server %s nothing is tried again", async ([, state = ""]) => {
    const ended = new AppError("UNAVAILABLE", "Gone.", { cause: aSqlError(state) });
    const { trips, add } = aRecordedBatch({ answer: () => Promise.reject(ended) });
    await Promise.allSettled(["a", "b"].map(add));
    expect(trips).toHaveLength(1);
  });

  test("a failed trip does not keep the next one from leaving", async () => {
    const answers = [() => Promise.reject(new Error("a bug")), async () => ["B"]];
    const { add } = aRecordedBatch({ answer: () => answers.shift()?.() ?? Promise.resolve([]) });
    await expect(add("a")).rejects.toThrow("a bug");
    expect(await add("b")).toBe("B");
  });

  test.for(["40P01", "40001"])("a batch that meets %s is tried again whole and succeeds", async (state) => {
    const answers = [() => Promise.reject(aSqlError(state)), async () => ["A", "B"]];
    const { trips, add } = aRecordedBatch({ answer: () => answers.shift()?.() ?? Promise.resolve([]) });
    expect(await Promise.all(["a", "b"].map(add))).toEqual(["A", "B"]);
    expect(trips).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("a batch that meets nothing but deadlocks is tried again three times and then fails", async () => {
    const deadlock = aSqlError("40P01");
    const { trips, add } = aRecordedBatch({ answer: () => Promise.reject(deadlock) });
    const outcomes = await Promise.allSettled(["a", "b"].map(add));
    expect(outcomes).toEqual(Array(2).fill({ status: "rejected", reason: deadlock }));
    expect(trips).toEqual(Array(4).fill(["a", "b"]));
  });

  test.for([{ results: ["A"] }, { results: ["A", "B", "C"] }])(
    "$results.length results for two items are an error for both and never guessed",
    async ({ results }) => {
      const { trips, add } = aRecordedBatch({ answer: async () => results });
      const outcomes = await Promise.allSettled(["a", "b"].map(add));
      const reason = new Error(`a batch of 2 items got ${results.length} results`);
      expect(outcomes).toEqual(Array(2).fill({ status: "rejected", reason }));
      expect(trips).toHaveLength(1);
    },
  );
});

describe("contention", () => {
  test("eight writers in opposite orders over the same keys all succeed without a deadlock and lose no increment", async () => {
    await ask(shared.db, "create table counters (key integer primary key, count integer not null)");
    const keys = Array.from({ length: 60 }, (_, key) => key);
    const rounds = 10;
    const failures: unknown[] = [];
    const writers = Array.from({ length: 8 }, () => {
      const db = aDatabase();
      const run = (items: number[]) => increment(db, items);
      return createBatch<number, number>({
        ...limits,
        maxItems: 40,
        run: (items) =>
          run(items).catch((error: unknown) => {
            failures.push(error);
            throw error;
          }),
      });
    });

    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        writers.flatMap((add, writer) => (writer % 2 === 0 ? keys : keys.toReversed()).map((key) => add(key))),
      );
    }
    expect(failures).toEqual([]);
    expect(await ask(shared.db, "select distinct count from counters")).toEqual([{ count: 8 * rounds }]);
  });

  test("a real deadlock between two batches is survived by its retry", async () => {
    await ask(shared.db, "create table pair (key text primary key, count integer not null)");
    await ask(shared.db, "insert into pair values ('left', 0), ('right', 0)");
    const bothHoldOne = aBarrier(2);
    const trips: string[][] = [];
    const aWriter = () => {
      const db = aDatabase();
      return createBatch<string, true>({
        ...limits,
        run: (items) =>
          db.withTransaction(async (tx) => {
            trips.push(items);
            for (const key of items) {
              await tx.query({
                name: "count",
                text: "update pair set count = count + 1 where key = $1",
                values: [key],
              });
              await bothHoldOne();
            }
            return items.map(() => true);
          }),
      });
    };
    const [one, other] = [aWriter(), aWriter()];
    await Promise.all([one("left"), one("right"), other("right"), other("left")]);
    // Two that deadlock, and the one that had to give way again; on a slow machine it may have to more than once.
    expect(trips.length).toBeGreaterThanOrEqual(3);
    expect(await ask(shared.db, "select count from pair")).toEqual([{ count: 2 }, { count: 2 }]);
  });
});

const limits = { maxItems: 100, maxBytes: 1_000_000, sizeOf: () => 1 };

interface Recorded {
  secondTripFrom?: number;
  maxItems?: number;
  maxBytes?: number;
  answer?: (items: string[]) => Promise<string[]>;
}

/** A batch whose items are as many bytes as letters, with a record of the trips it made. */
function aRecordedBatch({ answer = async (items) => items.map((item) => item.toUpperCase()), ...rest }: Recorded = {}) {
  const trips: string[][] = [];
  const run = (items: string[]) => {
    trips.push(items);
    return answer(items);
  };
  return { trips, add: createBatch<string, string>({ ...limits, sizeOf: (item) => item.length, ...rest, run }) };
}

function aDatabase() {
  const db = openTestDatabase(shared.url);
  onTestFinished(() => db.close());
  return db;
}

/** The shape of every set-based write: rows in key order, whatever order the callers came in. No key comes twice here. */
async function increment(db: Queryable, items: number[]): Promise<number[]> {
  const rows = await db.query<{ key: number; count: number }>({
    name: "increment-counters",
    text: `
      insert into counters (key, count)
      select given.key, 1
      from unnest($1::int[]) as given (key)
      order by given.key
      on conflict (key) do update set count = counters.count + excluded.count
      returning key, count`,
    values: [items],
  });
  const counts = new Map(rows.map((row) => [row.key, row.count]));
  return items.map((item) => counts.get(item) ?? 0);
}

/** Lets the first `parties` through together, and everyone after them at once. */
function aBarrier(parties: number): () => Promise<void> {
  const open = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived >= parties) open.resolve();
    return open.promise;
  };
}

/** What `pg` throws for an error the server answered with. */
function aSqlError(code: string): Error {
  return Object.assign(new Error(`SQL state ${code}`), { code, severity: "ERROR" });
}

function ask(db: Queryable, text: string): Promise<Record<string, unknown>[]> {
  return db.query<Record<string, unknown>>({ name: text.slice(0, 60), text });
}

describe("a batch that does not keep up", () => {
  function slowBatch(bounds: { maxWaitingBytes?: number; maxWaitMs?: number }) {
    const ran: number[] = [];
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const run = async (items: number[]) => {
      await held;
      ran.push(...items);
      return items;
    };
    return { ran, letGo, submit: createBatch({ run, maxItems: 1, maxBytes: 100, sizeOf: () => 10, ...bounds }) };
  }

  test("refuses what would wait behind too much, at once", async () => {
    const { submit, letGo, ran } = slowBatch({ maxWaitingBytes: 20 });
    const first = submit(1);
    await Promise.resolve();
    const waiting = [submit(2), submit(3)];
    await expect(submit(4)).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: 2 });
    letGo();
    expect(await Promise.all([first, ...waiting])).toEqual([1, 2, 3]);
    expect(await submit(5)).toBe(5);
    expect(ran).toEqual([1, 2, 3, 5]);
  });

  test("does not do what has waited too long, because whoever asked has gone", async () => {
    const { submit, letGo, ran } = slowBatch({ maxWaitMs: 20 });
    const first = submit(1);
    await Promise.resolve();
    const late = expect(submit(2)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await new Promise((resolve) => setTimeout(resolve, 40));
    letGo();
    await late;
    expect(await first).toBe(1);
    expect(ran).toEqual([1]);
  });
});
