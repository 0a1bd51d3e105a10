import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { aMove } from "../../test/move-fixture.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdForMove } from "./outgoing-move.ts";
import { waitForSnapshots } from "./wait-for-snapshots.ts";

const database = useTestDatabase();
const sessions: Record<"reader" | "writer" | "late", pg.Client> = {} as never;

beforeAll(async () => {
  for (const name of ["reader", "writer", "late"] as const) {
    sessions[name] = new pg.Client({ connectionString: database.url, application_name: `a-${name}` });
    await sessions[name].connect();
  }
});

afterAll(async () => {
  for (const session of Object.values(sessions)) await session.end();
});

const aHold = async () => holdForMove(database.db, await aMove(database.db));

test("a session that only has an older snapshot is awaited, and named when it does not end", async () => {
  const { reader } = sessions;
  await reader.query("begin isolation level repeatable read; select 1");
  const { transaction } = await aHold();
  const left = await waitForSnapshots(database.db, transaction, 120);
  expect(left).toMatchObject([{ name: "a-reader" }]);
  expect(Object.keys(left[0] ?? {}).toSorted()).toEqual(["ageSeconds", "name", "pid"]);
  const waiting = waitForSnapshots(database.db, transaction, 5_000);
  await reader.query("commit");
  expect(await waiting).toEqual([]);
});

test("a session that wrote before is awaited, although it has no snapshot", async () => {
  const { writer } = sessions;
  await writer.query("begin");
  await writer.query("create temporary table written (id integer)");
  const { transaction } = await aHold();
  expect(await waitForSnapshots(database.db, transaction, 120)).toMatchObject([{ name: "a-writer" }]);
  await writer.query("rollback");
  expect(await waitForSnapshots(database.db, transaction, 5_000)).toEqual([]);
});

test("a session that began after the hold is not awaited, also while an older transaction of another database is open", async () => {
  const { reader, late } = sessions;
  const other = new pg.Client({ connectionString: inject("serverUrl") });
  await other.connect();
  await other.query("begin; create temporary table elsewhere (id integer)");
  await reader.query("begin isolation level repeatable read; select 1");
  const { transaction } = await aHold();
  const waiting = waitForSnapshots(database.db, transaction, 5_000);
  await sleep(100);
  await late.query("begin isolation level repeatable read; create temporary table later (id integer)");
  const startedAt = performance.now();
  await reader.query("commit");
  expect(await waiting).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  await late.query("rollback");
  await other.end();
});

test("a transaction from before that has neither a snapshot nor an id is not awaited: its next statement sees the hold", async () => {
  const { late } = sessions;
  await late.query("begin");
  const { transaction } = await aHold();
  expect(await waitForSnapshots(database.db, transaction, 120)).toEqual([]);
  await late.query("rollback");
});
