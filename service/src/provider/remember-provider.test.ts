import { expect, inject, onTestFinished, test } from "vitest";
import { copyTemplate, openTestDatabase } from "../../test/template-database.ts";
import type { Database } from "../db/database.ts";
import { ConfigurationError } from "../errors.ts";
import { rememberProvider } from "./remember-provider.ts";

test("the first process decides the provider, and later processes with the same provider start", async () => {
  const db = await aFreshDatabase();
  await rememberProvider(db, "simulator");
  await rememberProvider(db, "simulator");
  expect(await storedProviders(db)).toEqual(["simulator"]);
});

test.for([
  { first: "ses", second: "simulator" },
  { first: "simulator", second: "ses" },
] as const)(
  "a database of $first refuses a process set to $second, and the error states the fix",
  async ({ first, second }) => {
    const db = await aFreshDatabase();
    await rememberProvider(db, first);
    const refusal = rememberProvider(db, second);
    await expect(refusal).rejects.toThrow(ConfigurationError);
    await expect(refusal).rejects.toThrow(
      `This database belongs to POSTERN_PROVIDER=${first}, but this process is set to ${second}. Use another database`,
    );
    expect(await storedProviders(db)).toEqual([first]);
  },
);

test("when two processes with different providers start concurrently, exactly one starts", async () => {
  const db = await aFreshDatabase();
  const opened = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  // Worst case: the row of the first process is not yet committed when the second one runs its statement.
  const first = db.withTransaction(async (tx) => {
    await rememberProvider(tx, "ses");
    opened.resolve();
    await release.promise;
  });
  await opened.promise;
  const second = rememberProvider(db, "simulator");
  second.catch(() => undefined);
  await untilStatementWaits(db);
  release.resolve();
  await first;
  await expect(second).rejects.toThrow(ConfigurationError);
  expect(await storedProviders(db)).toEqual(["ses"]);
});

test("when many processes start concurrently, exactly those with the stored provider start", async () => {
  const db = await aFreshDatabase();
  const kinds = Array.from({ length: 8 }, (_, position) => (position % 2 === 0 ? "ses" : "simulator"));
  const outcomes = await Promise.allSettled(kinds.map((kind) => rememberProvider(db, kind)));
  const started = kinds.filter((_, position) => outcomes[position]?.status === "fulfilled");
  const [stored] = await storedProviders(db);
  expect(started).toEqual(Array(4).fill(stored));
});

async function aFreshDatabase(): Promise<Database> {
  const { url, drop } = await copyTemplate(inject("serverUrl"));
  const db = openTestDatabase(url);
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  return db;
}

async function storedProviders(db: Database): Promise<string[]> {
  const rows = await db.query<{ provider: string }>({ name: "stored-providers", text: "select provider from cell" });
  return rows.map((row) => row.provider);
}

async function untilStatementWaits(db: Database): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(() => db.query({ name: "waiting", text: waiting }), { timeout: 10_000 }).toHaveLength(1);
}
