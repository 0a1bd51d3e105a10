import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type HeldSnapshot, isHeldTooLong, listHeldSnapshots, terminationCommand } from "./held-snapshots.ts";

const database = useTestDatabase();

test("a session that holds a snapshot is listed with its pid until its transaction ends", async () => {
  const client = await aSession("a report");
  await client.query("begin isolation level repeatable read");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid, count(*) from sends");
  expect(await heldBy("a report")).toEqual([
    {
      holder: "session",
      name: "a report",
      pid: rows[0]?.pid,
      heldSeconds: expect.any(Number),
      transactions: expect.any(Number),
    },
  ]);
  await client.query("commit");
  expect(await heldBy("a report")).toEqual([]);
});

test("the transactions that began since the snapshot are counted", async () => {
  const client = await aSession("a counter");
  await client.query("begin isolation level repeatable read");
  await client.query("select 1 from sends");
  const before = (await heldBy("a counter"))[0]?.transactions ?? Number.NaN;
  for (let made = 0; made < 3; made++) await database.db.query({ name: "new-id", text: "select pg_current_xact_id()" });
  expect((await heldBy("a counter"))[0]?.transactions).toBeGreaterThanOrEqual(before + 3);
});

test("a session that has written is listed; an idle session and one that only ran `begin` are not", async () => {
  const [writer, idle, begun] = [await aSession("a writer"), await aSession("idle"), await aSession("begun")];
  await writer.query("begin");
  await writer.query("select pg_current_xact_id()");
  await begun.query("begin");
  await begun.query("select 1");
  await idle.query("select 1");
  expect(await heldBy("a writer")).toMatchObject([{ holder: "session" }]);
  expect([...(await heldBy("idle")), ...(await heldBy("begun"))]).toEqual([]);
});

test("sessions of other databases are not listed", async () => {
  const client = await aSession("elsewhere", "postgres");
  await client.query("begin isolation level repeatable read");
  await client.query("select 1 from pg_class");
  expect(await heldBy("elsewhere")).toEqual([]);
});

test("a snapshot whose age PostgreSQL hides is held too long after 100,000 transactions", async () => {
  const client = await aSession("hidden");
  await client.query("begin isolation level repeatable read");
  await client.query("select 1 from sends");
  const asStranger = await database.db.withTransaction(async (tx) => {
    await tx.query({ name: "a-stranger", text: "create role stranger" });
    await tx.query({ name: "be-stranger", text: "set local role stranger" });
    const held = await listHeldSnapshots(tx);
    await tx.query({ name: "be-oneself", text: "reset role" });
    await tx.query({ name: "no-stranger", text: "drop role stranger" });
    return held.filter(({ name }) => name === "hidden");
  });
  expect(asStranger).toEqual([expect.objectContaining({ heldSeconds: null, transactions: expect.any(Number) })]);
  const hidden = { ...aSnapshot, heldSeconds: null };
  expect([99_999, 100_000].map((transactions) => isHeldTooLong({ ...hidden, transactions }))).toEqual([false, true]);
});

test("a snapshot is held too long after five minutes", () => {
  expect([299, 300].map((heldSeconds) => isHeldTooLong({ ...aSnapshot, heldSeconds }))).toEqual([false, true]);
});

test.for([
  [{ holder: "session", pid: 7 }, "select pg_terminate_backend(7)"],
  [{ holder: "prepared-transaction", name: "it's" }, "rollback prepared 'it''s'"],
  [{ holder: "replication" }, undefined],
] as [Partial<HeldSnapshot>, string | undefined][])("%o is ended by %s", ([given, command]) => {
  expect(terminationCommand({ ...aSnapshot, ...given })).toBe(command);
});

const aSnapshot: HeldSnapshot = { holder: "session", name: "x", pid: 1, heldSeconds: 1, transactions: 1 };

async function heldBy(name: string): Promise<HeldSnapshot[]> {
  return (await listHeldSnapshots(database.db)).filter((snapshot) => snapshot.name === name);
}

async function aSession(applicationName: string, databaseName?: string): Promise<pg.Client> {
  const url = new URL(database.url);
  if (databaseName !== undefined) url.pathname = `/${databaseName}`;
  const client = new pg.Client({ connectionString: url.href, application_name: applicationName });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
