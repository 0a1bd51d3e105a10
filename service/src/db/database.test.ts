import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTcpProxy } from "../../test/api-process.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { type Database, openDatabase, type Queryable } from "./database.ts";

const shared = useTestDatabase();

const unavailable = expect.objectContaining({ name: "AppError", code: "UNAVAILABLE", retryAfterSeconds: 2 });

describe("connections", () => {
  test("every connection has its application name and its timeouts", async () => {
    const [settings] = await ask(
      aDatabase({ applicationName: "postern-guarantee" }),
      `select current_setting('application_name') as name, current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(settings).toEqual({ name: "postern-guarantee", statement: "8s", idle: "15s" });
  });

  test("a named statement is prepared once per connection", async () => {
    const db = aDatabase({ poolSize: 1 });
    for (const value of [1, 2, 3]) await db.query({ name: "once", text: "select $1::int as value", values: [value] });
    expect(
      await ask(
        db,
        "select name, generic_plans + custom_plans as runs from pg_prepared_statements where name = 'once'",
      ),
    ).toEqual([{ name: "once", runs: 3 }]);
  });

  test("an idle connection that the server closes is reported and replaced", async () => {
    const lost = Promise.withResolvers<Error>();
    const db = aDatabase({ poolSize: 1, onIdleError: lost.resolve });
    await terminate(await pidOf(db));
    expect(await lost.promise).toMatchObject({ code: "57P01" });
    expect(await ask(db, "select 1 as value")).toEqual([{ value: 1 }]);
  });
});

describe("a transaction", () => {
  test("commits the writes of its work and returns its result", async () => {
    const db = aDatabase({ poolSize: 1 });
    const result = await db.withTransaction(async (tx) => {
      await ask(tx, "create table committed ()");
      return "result";
    });
    expect(result).toBe("result");
    expect(await exists("committed")).toBe(true);
    expect(db.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
  });

  test("rolls back when its work throws, rethrows the error and returns the connection to the pool", async () => {
    const db = aDatabase({ poolSize: 1 });
    const bug = new Error("a bug");
    const failed = db.withTransaction(async (tx) => {
      await ask(tx, "create table rolled_back ()");
      throw bug;
    });
    await expect(failed).rejects.toBe(bug);
    expect(db.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
    // If the transaction were still open on the only connection, the next one would commit it.
    await db.withTransaction((tx) => ask(tx, "select 1"));
    expect(await exists("rolled_back")).toBe(false);
  });

  test("never reports a commit when one of its statements failed, even if its work continued", async () => {
    const db = aDatabase({ poolSize: 1 });
    const claimed = db.withTransaction(async (tx) => {
      await ask(tx, "create table half_done ()");
      await ask(tx, "select 1 / 0").catch(() => undefined);
    });
    await expect(claimed).rejects.toThrow("rolled back");
    expect(await exists("half_done")).toBe(false);
    expect(await ask(db, "select 1 as value")).toEqual([{ value: 1 }]);
  });

  test("fails as unavailable when its connection ends between statements, and the pool still works", async () => {
    const db = aDatabase({ poolSize: 1 });
    const killed = db.withTransaction(async (tx) => {
      await terminate(await pidOf(tx));
      await ask(tx, "select 1");
    });
    await expect(killed).rejects.toEqual(unavailable);
    expect(await ask(db, "select 1 as value")).toEqual([{ value: 1 }]);
  });

  test("fails as unavailable when its connection ends during a statement, and the pool still works", async () => {
    const db = aDatabase({ poolSize: 1 });
    const killed = db.withTransaction(async (tx) => ask(tx, "select pg_terminate_backend(pg_backend_pid())"));
    await expect(killed).rejects.toEqual(unavailable);
    expect(await ask(db, "select 1 as value")).toEqual([{ value: 1 }]);
  });
});

describe("a statement that changes sends", () => {
  const raise = { name: "raise", text: "update counters set value = value + 1 returning value", changesSends: true };

  test("runs again when another statement changed its rows, and sees that change", async () => {
    await ask(shared.db, "create table counters (value integer not null)");
    await ask(shared.db, "insert into counters values (0)");
    const answers = await Promise.all(Array.from({ length: 8 }, () => shared.db.query<{ value: number }>(raise)));
    const values = answers.flatMap(([row]) => row?.value ?? []);
    expect(new Set(values)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
  });

  test("runs at repeatable read, so that PostgreSQL 18.4 does not re-evaluate changed rows and crash", async () => {
    const text = "select current_setting('transaction_isolation') as isolation";
    expect(await shared.db.query({ name: "isolation", text, changesSends: true })).toEqual([
      { isolation: "repeatable read" },
    ]);
  });

  test("stores nothing when it fails", async () => {
    const text = "with made as (insert into counters values (100) returning value) select 1 / (value - 100) from made";
    await expect(shared.db.query({ name: "half", text, changesSends: true })).rejects.toThrow("division by zero");
    expect(await ask(shared.db, "select count(*) from counters where value = 100")).toEqual([{ count: 0 }]);
  });
});

test("statements that run one at a time each see what the one before them committed", async () => {
  const db = aDatabase({ poolSize: 4 });
  await ask(db, "create table turns (number integer)");
  const takeTurn = () =>
    db.query<{ number: number }>({
      name: "take-turn",
      text: "insert into turns select count(*) from turns cross join (select pg_sleep(0.01)) as slow returning number",
      oneAtATime: "turns",
    });
  const taken = await Promise.all(Array.from({ length: 12 }, takeTurn));
  const numbers = taken.flat().map(({ number }) => number);
  expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, number) => number));
});

describe("a failure", () => {
  test("to reach the server is unavailable with a time to retry", async () => {
    const db = aDatabase({ url: "postgres://nobody@127.0.0.1:1/nothing" });
    await expect(ask(db, "select 1")).rejects.toEqual(unavailable);
    await expect(db.withTransaction(async () => undefined)).rejects.toEqual(unavailable);
  });

  test("by a statement timeout is unavailable with a time to retry", async () => {
    const db = aDatabase({ poolSize: 1, statementTimeoutMs: 50 });
    await expect(ask(db, "select pg_sleep(10)")).rejects.toEqual(unavailable);
    expect(await ask(db, "select 1 as value")).toEqual([{ value: 1 }]);
  });

  test("to get an answer closes the connection soon after the statement timeout", async () => {
    const proxy = await startTcpProxy(shared.url);
    const db = aDatabase({ url: proxy.url, statementTimeoutMs: 50 });
    await Promise.all([ask(db, "select 1"), ask(db, "select 1")]);
    proxy.freeze();
    await Promise.all([
      expect(ask(db, "select 1")).rejects.toEqual(unavailable),
      expect(db.withTransaction((tx) => ask(tx, "select 1"))).rejects.toEqual(unavailable),
    ]);
    expect(db.connections().total).toBe(0);
  });

  test("caused by wrong SQL is thrown unchanged", async () => {
    const mistake = await ask(shared.db, "selct 1").catch((error: unknown) => error);
    expect(mistake).not.toBeInstanceOf(AppError);
    expect(mistake).toMatchObject({ code: "42601" });
  });
});

type Options = Partial<Parameters<typeof openDatabase>[0]>;

function aDatabase(options: Options): Database {
  const defaults = { url: shared.url, poolSize: 2, applicationName: "postern-test", onIdleError: () => undefined };
  const db = openDatabase({ ...defaults, ...options });
  onTestFinished(() => db.close());
  return db;
}

function ask<Row = Record<string, unknown>>(db: Queryable, text: string): Promise<Row[]> {
  return db.query<Row>({ name: hash("sha1", text), text });
}

async function pidOf(db: Queryable): Promise<unknown> {
  const [row] = await ask(db, "select pg_backend_pid() as pid");
  return row?.pid;
}

/** Ends a connection from another one. When this resolves, the client has read the server's last message. */
async function terminate(pid: unknown): Promise<void> {
  await shared.db.query({ name: "end", text: "select pg_terminate_backend($1, 10000)", values: [pid] });
  await setImmediate();
}

async function exists(table: string): Promise<boolean> {
  const [row] = await ask(shared.db, `select to_regclass('${table}') is not null as "exists"`);
  return row?.exists === true;
}
