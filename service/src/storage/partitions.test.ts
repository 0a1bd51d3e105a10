import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import {
  aConnection,
  aDatabase,
  anEmptySchema,
  inDays,
  storeEveryHour,
  value,
} from "../../test/partitioned-database.ts";
import { copyTemplate } from "../../test/template-database.ts";
import type { Database, Queryable, Transaction } from "../db/database.ts";
import { sqlState } from "../db/sql-state.ts";
import { checkReadiness } from "../status/readiness.ts";
import { dropOldContents } from "./old-contents.ts";
import { inspectPartitions, makePartitionsAhead, type PartitionedTable } from "./partitions.ts";

const tables: PartitionedTable[] = [
  "sends",
  "send_contents",
  "attachment_chunks",
  "events",
  "audit_entries",
  "notifications",
  "webhook_deliveries",
  "webhook_attempts",
  "logged_requests",
];
/** These have a partition for each week. */
const weekly = ["send_contents", "attachment_chunks", "notifications", "webhook_deliveries", "webhook_attempts"];
const midNovember = "2026-11-15T06:00:00Z";

test("the first id of a millisecond sorts before every UUIDv7 of that millisecond and after all earlier ones", async () => {
  const { db } = await aDatabase(copyTemplate);
  const moment = "2026-11-15T06:07:08.009Z";
  const digits = Date.parse(moment).toString(16).padStart(12, "0");
  const first = `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
  expect(await value(db, `select first_id_at('${moment}')`)).toBe(first);
  expect(await value(db, `select time_of_id('${first.replace(/7000.*/, "7fff-bfff-ffffffffffff")}')`)).toBe(moment);
  expect(await value(db, `select time_of_id(first_id_at('1970-01-01T00:00:00Z'))`)).toBe("1970-01-01T00:00:00.000Z");
});

test.for(["month", "week"] as const)(
  "with partitions by %s an id of every hour of the next three months falls into the partition of its time",
  { timeout: 60_000 },
  async (span) => {
    const { db } = await aDatabase(anEmptySchema);
    expect(await makePartitionsAhead(db, span)).toMatchObject({ failures: [] });
    for (const table of tables) {
      const ahead = table === "logged_requests" ? "3 weeks" : "3 months";
      const stray = await value(
        db,
        `with stored as (${storeEveryHour(table, table === "logged_requests" ? "now()" : "now() - interval '6 days'", `now() + interval '${ahead}'`)})
        select count(*)
        from stored
        left join partition_ranges r on r.name = stored.partition
        where (time_of_id(stored.id) >= r.starts_at and time_of_id(stored.id) < r.ends_at) is not true`,
      );
      expect({ table, stray }).toEqual({ table, stray: 0 });
    }
    const states = await inspectPartitions(db);
    expect(states).toMatchObject(tables.map((table) => ({ table, coversNow: true, isDefaultUsed: false })));
    for (const { table, aheadSeconds } of states)
      expect(aheadSeconds).toBeGreaterThan((table === "logged_requests" ? 20 : 88) * 86_400);
  },
);

test("every partition of sends has fillfactor 50, so that pages have room for updates", async () => {
  const { db } = await aDatabase(copyTemplate);
  await makePartitionsAhead(db, "week", inDays(200));
  const full = `
    select count(*) from pg_class part join pg_inherits link on link.inhrelid = part.oid
    where link.inhparent = 'sends'::regclass and part.reloptions is distinct from array['fillfactor=50']`;
  expect(await value(db, full)).toBe(0);
});

test("partitions are named after their first day in UTC, whatever the session's time zone, and contents are always weekly", async () => {
  const { db } = await aDatabase(anEmptySchema);
  const undo = new Error("undo");
  const names = async (timeZone: string) => {
    let made: string[] = [];
    const undone = db.withTransaction(async (tx) => {
      await tx.query({ name: `zone-${timeZone}`, text: `set local timezone = '${timeZone}'` });
      ({ made } = await makePartitionsAhead(tx, "month", "2026-11-30T23:30:00Z"));
      throw undo;
    });
    await expect(undone).rejects.toBe(undo);
    return made;
  };
  const made = await names("Pacific/Auckland");
  expect(made).toEqual(await names("America/Los_Angeles"));
  expect(made.filter((name) => name.startsWith("sends_"))).toEqual([
    "sends_2026_10",
    "sends_2026_11",
    "sends_2026_12",
    "sends_2027_01",
    "sends_2027_02",
  ]);
  const contents = made.filter((name) => name.startsWith("send_contents_"));
  expect([contents[0], contents[1], contents.at(-1)]).toEqual([
    "send_contents_2026_11_23",
    "send_contents_2026_11_30",
    "send_contents_2027_02_22",
  ]);
});

test("repeated and concurrent runs create each partition once", async () => {
  const { db } = await aDatabase(anEmptySchema);
  const runs = await Promise.all(Array.from({ length: 4 }, () => makePartitionsAhead(db, "month")));
  expect(runs.flatMap((run) => run.failures)).toEqual([]);
  const made = runs.flatMap((run) => run.made);
  expect(new Set(made).size).toBe(made.length);
  const before = await ranges(db);
  expect(before).toHaveLength(made.length);
  expect(await makePartitionsAhead(db, "month")).toEqual({ made: [], failures: [] });
  expect(await ranges(db)).toEqual(before);
});

test("a transaction that reads sends makes it give up after two seconds, and neither inserts nor other tables wait", async () => {
  const { db, url } = await aDatabase(copyTemplate);
  const later = inDays(40);
  const other = aConnection(url);
  await other.withTransaction(async (tx) => {
    await tx.query({ name: "read-all", text: "select id from sends" });
    const started = performance.now();
    const making = makePartitionsAhead(db, "month", later);
    const waiting =
      "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(() => value(db, waiting)).toBe(1);
    const acceptStarted = performance.now();
    await value(db, storeEveryHour("sends", "now()", "now()"));
    expect(performance.now() - acceptStarted).toBeLessThan(1000);
    const { made, failures } = await making;
    expect(performance.now() - started).toBeGreaterThan(1900);
    expect(performance.now() - started).toBeLessThan(6000);
    expect(failures.map(({ table, error }) => [table, sqlState(error)])).toEqual([["sends", "55P03"]]);
    expect(new Set(made.map((name) => name.replace(/_\d.*/, "")))).toEqual(new Set(tables.slice(1)));
  });
  const { made, failures } = await makePartitionsAhead(db, "month", later);
  expect(failures).toEqual([]);
  expect(made.every((name) => name.startsWith("sends_"))).toBe(true);
  expect(made).not.toHaveLength(0);
});

test("a change from months to weeks and back leaves no gap and no overlap", async () => {
  const { db } = await aDatabase(anEmptySchema);
  await makePartitionsAhead(db, "month", midNovember);
  await makePartitionsAhead(db, "week", "2027-01-20T00:00:00Z");
  const { made } = await makePartitionsAhead(db, "month", "2027-03-20T00:00:00Z");
  expect(made.filter((name) => name.startsWith("sends_"))).toEqual([
    "sends_2027_04_26",
    "sends_2027_05",
    "sends_2027_06",
  ]);
  // No days are made for the past.
  for (const table of tables.filter((one) => one !== "logged_requests")) {
    const own = (await ranges(db)).filter((range) => range.parent === table);
    for (const [position, range] of own.slice(1).entries()) expect(range.starts_at).toBe(own[position]?.ends_at);
  }
  expect((await ranges(db)).map((range) => range.name)).toEqual(
    expect.arrayContaining(["sends_2027_02", "sends_2027_03_01", "sends_2027_03_08"]),
  );
});

test("a table with 200 partitions gets no more, the other tables get theirs, and the database is ready but degraded", {
  timeout: 120_000,
}, async () => {
  const { db } = await aDatabase(copyTemplate);
  const { failures } = await makePartitionsAhead(db, "month", inDays(5 * 365));
  expect(failures.map(({ table, error }) => [table, String(error)])).toEqual(
    weekly.map((table) => [table, expect.stringContaining(`${table} has 200 partitions`)]),
  );
  const states = await inspectPartitions(db);
  expect(states.find((state) => state.table === "send_contents")?.attached).toBe(200);
  expect(await makePartitionsAhead(db, "month", inDays(5 * 365))).toMatchObject({ made: [] });
  expect(await checkReadiness(db)).toMatchObject({
    isReady: true,
    checks: { partitions: { degraded: weekly.map((table) => `${table} has 200 partitions of at most 200`) } },
  });
});

test("sends stored while no partition existed stay readable, and the next partition begins in five minutes", async () => {
  const { db } = await aDatabase(anEmptySchema);
  await value(db, storeEveryHour("sends", `timestamptz '${midNovember}'`, `timestamptz '${midNovember}'`));
  expect(await makePartitionsAhead(db, "month", midNovember)).toMatchObject({ failures: [] });
  const [first, second] = (await ranges(db)).filter(({ parent }) => parent === "sends");
  expect([first?.name, first?.ends_at]).toEqual(["sends_2026_10", "2026-11-01T00:00:00.000Z"]);
  expect([second?.name, second?.starts_at, second?.ends_at]).toEqual([
    "sends_2026_11_15_0605",
    "2026-11-15T06:05:00.000Z",
    "2026-12-01T00:00:00.000Z",
  ]);
  expect((await inspectPartitions(db, midNovember))[0]).toMatchObject({ coversNow: false, isDefaultUsed: true });
  expect((await inspectPartitions(db, "2026-11-15T06:05:00Z"))[0]).toMatchObject({ coversNow: true });
  expect(await value(db, "select count(*) from sends")).toBe(1);
});

test("a row with a future time from a wrong clock ends a partition early and does not prevent later ones", async () => {
  const { db } = await aDatabase(copyTemplate);
  const end = (await ranges(db)).findLast((range) => range.parent === "events")?.ends_at;
  const ahead = `timestamptz '${end}' + interval '40 hours'`;
  await value(db, storeEveryHour("events", ahead, ahead));
  expect((await makePartitionsAhead(db, "month", inDays(20))).failures).toEqual([]);
  const newest = (await ranges(db)).findLast((range) => range.parent === "events");
  expect(Date.parse(newest?.ends_at ?? "") - Date.parse(end ?? "")).toBe(40 * 3_600_000);
  expect((await inspectPartitions(db)).find((state) => state.table === "events")?.isDefaultUsed).toBe(true);
  // Once that time has passed, partitions continue after it.
  expect((await makePartitionsAhead(db, "month", inDays(150))).failures).toEqual([]);
  expect((await inspectPartitions(db, inDays(151))).every((state) => state.coversNow)).toBe(true);
});

test("a partition has its table's indexes and checks, stores contents uncompressed and keeps bodies of a few KB in the row", async () => {
  const { db } = await aDatabase(copyTemplate);
  const indexes = `
    select count(*)
    from pg_index
    join partition_ranges r on r.name = indrelid::regclass::text
    where r.parent = 'events' and r.starts_at <= now() and now() < r.ends_at`;
  const indexesOfTable = await value(db, "select count(*) from pg_index where indrelid = 'events'::regclass");
  expect(await value(db, indexes)).toBe(indexesOfTable);
  const wrong = value(db, storeEveryHour("events", "now()", "now()").replace("'Delivery'", "'Nonsense'"));
  await expect(wrong).rejects.toThrow("events_type_known");
  const partition = await store(db, "now()", 7000);
  expect(partition).toMatch(/^send_contents_\d/);
  const toastBytes = `select pg_relation_size(reltoastrelid) from pg_class where relname = '${String(partition)}'`;
  expect(await value(db, toastBytes)).toBe(0);
  expect(await store(db, "now() + interval '1 millisecond'", 20_000)).toBe(partition);
  expect(await value(db, toastBytes)).toBeGreaterThan(20_000);
});

test("a role without ownership can create and drop partitions exactly when it may execute the two functions", async () => {
  const { db } = await aDatabase(copyTemplate);
  const role = `worker_${randomUUID().slice(0, 8)}`;
  await value(db, `create role ${role}`);
  onTestFinished(() => dropRole(db, role));
  const later = inDays(100);
  const asRole = (work: (tx: Transaction) => Promise<unknown>) =>
    db.withTransaction(async (tx) => {
      await tx.query({ name: `be-${role}`, text: `set local role ${role}` });
      await work(tx);
    });
  let refusal: unknown;
  const refused = asRole(async (tx) => {
    refusal = (await makePartitionsAhead(tx, "month", later)).failures[0]?.error;
  });
  await expect(refused).rejects.toThrow("rolled back");
  expect(sqlState(refusal)).toBe("42501");
  await value(
    db,
    `do $$ begin
      grant select, insert, update, delete on all tables in schema public to ${role};
      grant execute on all functions in schema public to ${role};
    end $$`,
  );
  await asRole(async (tx) => {
    expect(await makePartitionsAhead(tx, "month", later)).toMatchObject({
      failures: [],
      made: expect.arrayContaining([expect.stringMatching(/^sends_/)]),
    });
    const asThisRole: Database = { ...db, query: tx.query, withTransaction: (part) => part(tx) };
    expect(await dropOldContents(asThisRole, 30, later)).toMatchObject({ failure: undefined });
    expect(await inspectPartitions(tx)).toHaveLength(tables.length);
  });
});

test("a lookup by id with a custom plan reads one partition of each table", async () => {
  const { db } = await aDatabase(copyTemplate);
  for (const table of tables) {
    const plan = await db.withTransaction(async (tx) => {
      await tx.query({ name: "custom-plans", text: "set local plan_cache_mode = force_custom_plan" });
      await tx.query({
        name: `prepare-${table}`,
        text: `prepare ${table}_by_id (uuid) as select id from ${table} where id = $1`,
      });
      const id = await value(tx, "select first_id_at(now())");
      return tx.query<{ "QUERY PLAN": string }>({
        name: `explain-${table}`,
        text: `explain (costs off) execute ${table}_by_id ('${String(id)}')`,
      });
    });
    const touched = plan.flatMap((line) => line["QUERY PLAN"].match(/ on (\w+)/)?.[1] ?? []);
    // A table and its index, or only the index.
    expect([1, 2]).toContain(touched.length);
    for (const name of touched) expect(name).toMatch(new RegExp(`^${table}_\\d`));
  }
});

async function dropRole(db: Database, role: string): Promise<void> {
  await value(db, `do $$ begin drop owned by ${role}; drop role ${role}; end $$`);
}

interface Range {
  parent: string;
  name: string;
  starts_at: string;
  ends_at: string;
}

async function ranges(db: Queryable): Promise<Range[]> {
  return db.query<Range>({
    name: "ranges",
    text: `
      select parent, name, starts_at, ends_at
      from partition_ranges
      where starts_at is not null
      order by parent desc, starts_at`,
  });
}

/** Stores content that would compress well and returns its partition. */
async function store(db: Queryable, at: string, bytes: number): Promise<unknown> {
  return value(
    db,
    `insert into send_contents (id, sealed)
    values (first_id_at(${at}), decode(repeat('00', ${bytes}), 'hex'))
    returning tableoid::regclass::text`,
  );
}
