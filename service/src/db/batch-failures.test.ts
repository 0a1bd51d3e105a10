import { describe, expect, onTestFinished, test } from "vitest";
import { aRecordedBatch, batchLimits } from "../../test/a-recorded-batch.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { createBatch } from "./batch.ts";
import type { Queryable } from "./database.ts";

const shared = useTestDatabase();

describe("failures", () => {
  test("an item that PostgreSQL refuses fails alone; the others are stored once each", async () => {
    await ask(shared.db, "create table positives (value integer constraint positives_positive check (value > 0))");
    const add = createBatch<number, number>({
      ...batchLimits,
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

  test("a batch is not retried after a lost connection, because it may have been committed", async () => {
    const lost = new AppError("UNAVAILABLE", "Gone.", { cause: new Error("Connection terminated unexpectedly") });
    const { ran, add } = aRecordedBatch({ answer: () => Promise.reject(lost) });
    const outcomes = await Promise.allSettled(["a", "b"].map(add));
    expect(outcomes).toEqual(Array(2).fill({ status: "rejected", reason: lost }));
    expect(ran).toHaveLength(1);
  });

  test.for([
    ["ended the connection", "57P01"],
    ["cancelled the statement at its timeout", "57014"],
    ["ran out of disk space", "53100"],
  ])("a batch is not retried after the server %s", async ([, state = ""]) => {
    const ended = new AppError("UNAVAILABLE", "Gone.", { cause: aSqlError(state) });
    const { ran, add } = aRecordedBatch({ answer: () => Promise.reject(ended) });
    await Promise.allSettled(["a", "b"].map(add));
    expect(ran).toHaveLength(1);
  });

  test("the next batch runs after a failed one", async () => {
    const answers = [() => Promise.reject(new Error("a bug")), async () => ["B"]];
    const { add } = aRecordedBatch({ answer: () => answers.shift()?.() ?? Promise.resolve([]) });
    await expect(add("a")).rejects.toThrow("a bug");
    expect(await add("b")).toBe("B");
  });

  test.for(["40P01", "40001"])("a batch that fails with %s is retried as a whole and succeeds", async (state) => {
    const answers = [() => Promise.reject(aSqlError(state)), async () => ["A", "B"]];
    const { ran, add } = aRecordedBatch({ answer: () => answers.shift()?.() ?? Promise.resolve([]) });
    expect(await Promise.all(["a", "b"].map(add))).toEqual(["A", "B"]);
    expect(ran).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("a batch that keeps deadlocking is retried three times and then fails", async () => {
    const deadlock = aSqlError("40P01");
    const { ran, add } = aRecordedBatch({ answer: () => Promise.reject(deadlock) });
    const outcomes = await Promise.allSettled(["a", "b"].map(add));
    expect(outcomes).toEqual(Array(2).fill({ status: "rejected", reason: deadlock }));
    expect(ran).toEqual(Array(4).fill(["a", "b"]));
  });

  test.for([{ results: ["A"] }, { results: ["A", "B", "C"] }])(
    "$results.length results for two items are an error for both",
    async ({ results }) => {
      const { ran, add } = aRecordedBatch({ answer: async () => results });
      const outcomes = await Promise.allSettled(["a", "b"].map(add));
      const reason = new Error(`a batch of 2 items got ${results.length} results`);
      expect(outcomes).toEqual(Array(2).fill({ status: "rejected", reason }));
      expect(ran).toHaveLength(1);
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
        ...batchLimits,
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

  test("both batches of a deadlock succeed after a retry", async () => {
    await ask(shared.db, "create table pair (key text primary key, count integer not null)");
    await ask(shared.db, "insert into pair values ('left', 0), ('right', 0)");
    const bothHoldOne = aBarrier(2);
    const ran: string[][] = [];
    const aWriter = () => {
      const db = aDatabase();
      return createBatch<string, true>({
        ...batchLimits,
        run: (items) =>
          db.withTransaction(async (tx) => {
            ran.push(items);
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
    // Two batches that deadlock and at least one retry; a slow machine may need more.
    expect(ran.length).toBeGreaterThanOrEqual(3);
    expect(await ask(shared.db, "select count from pair")).toEqual([{ count: 2 }, { count: 2 }]);
  });
});

function aDatabase() {
  const db = openTestDatabase(shared.url);
  onTestFinished(() => db.close());
  return db;
}

/** Writes its rows in key order, as every set-based write does. No batch of this test contains a key twice. */
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

/** Releases the first `parties` callers together, and later callers immediately. */
function aBarrier(parties: number): () => Promise<void> {
  const open = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived >= parties) open.resolve();
    return open.promise;
  };
}

/** An error as `pg` throws it for an answer of the server. */
function aSqlError(code: string): Error {
  return Object.assign(new Error(`SQL state ${code}`), { code, severity: "ERROR" });
}

function ask(db: Queryable, text: string): Promise<Record<string, unknown>[]> {
  return db.query<Record<string, unknown>>({ name: text.slice(0, 60), text });
}
