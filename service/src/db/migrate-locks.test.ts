import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { plantedSteps } from "../../test/planted-steps.ts";
import { copyTemplate } from "../../test/template-database.ts";
import { migrate } from "./migrate.ts";

const secondStep = "alter table accounts add column planted text";

test("a session that holds a lock delays a step, not the statements behind it for more than 2 s, and is named", async () => {
  const { client, run, lines } = await aDatabase({
    "9001_first": "create table planted ()",
    "9002_second": secondStep,
  });
  const reader = await client("nightly-report");
  await reader.query("begin; select from accounts");
  const migrating = run();
  const longest = await longestRead(await client("requests"), 5_000);
  expect(longest).toBeGreaterThan(500);
  expect(longest).toBeLessThan(2_500);
  await reader.query("commit");
  expect(await migrating).toEqual(["9001_first", "9002_second"]);
  const waits = lines.filter((line) => line.startsWith("9002_second: waiting for a lock"));
  expect(waits[0]).toMatch(/ of pid \d+ \(nightly-report, idle in transaction, for \d+ s\)$/);
}, 30_000);

test("a lock that is never released ends the run with the pid of its holder, and the next run continues", async () => {
  const { client, run } = await aDatabase({ "9001_first": "create table planted ()", "9002_second": secondStep });
  const reader = await client("nightly-report");
  await reader.query("begin; select from accounts");
  await expect(run(1_000)).rejects.toThrow(
    /^9002_second: gave up after \d+ s, because pid \d+ \(nightly-report, .*run the command again\.$/,
  );
  await reader.query("rollback");
  expect(await run()).toEqual(["9002_second"]);
}, 30_000);

test("a migration that is killed in a step leaves nothing of it, and the next run continues", async () => {
  const { client, run } = await aDatabase({
    "9001_first": "create table planted ()",
    "9002_second": `create table half_done (); select pg_sleep(coalesce((select 60 where not exists (select from pg_class where relname = 'killed_once')), 0))`,
  });
  const other = await client("other");
  const running = run();
  const failed = expect(running).rejects.toThrow();
  await waitUntil(
    async () =>
      (
        await other.query(
          "select from pg_stat_activity where query like '%half_done%' and application_name = 'postern-migrate' and datname = current_database()",
        )
      ).rowCount === 1,
  );
  await other.query(
    "create table killed_once (); select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'postern-migrate' and datname = current_database()",
  );
  await failed;
  expect(
    (await other.query("select to_regclass('half_done') as made, to_regclass('planted') is not null as first")).rows,
  ).toEqual([{ made: null, first: true }]);
  expect(await run()).toEqual(["9002_second"]);
}, 30_000);

test("a migration waits for another one and says so", async () => {
  const { client, run, lines } = await aDatabase({ "9001_first": "create table planted ()" });
  const other = await client("postern-migrate");
  await other.query("select pg_advisory_lock(7205759403)");
  const migrating = run();
  await waitUntil(() => lines.length > 0);
  expect(lines[0]).toMatch(/^another `postern migrate` is running \(pid \d+, started \d+ s ago\); waiting for it/);
  await other.end();
  expect(await migrating).toEqual(["9001_first"]);
});

test("an index built concurrently is built again when an earlier build was interrupted, and waits for old transactions without blocking writes", async () => {
  const index =
    "-- Expands.\n-- step: index of names\ncreate index concurrently if not exists accounts_planted_idx on accounts (name);";
  const { client, run } = await aDatabase({ "9001_index": index });
  const other = await client("other");
  await other.query("create index accounts_planted_idx on accounts (name)");
  await other.query("update pg_index set indisvalid = false where indexrelid = 'accounts_planted_idx'::regclass");
  const old = await client("old-transaction");
  await old.query(
    "begin isolation level repeatable read; insert into accounts (id, name) values (gen_random_uuid(), 'Acme')",
  );
  const migrating = run();
  await waitUntil(
    async () =>
      (
        await other.query(
          "select from pg_stat_activity where query like '%index concurrently%' and application_name = 'postern-migrate' and wait_event_type = 'Lock' and datname = current_database()",
        )
      ).rowCount === 1,
  );
  await other.query("insert into accounts (id, name) values (gen_random_uuid(), 'Other')");
  await sleep(2_500);
  await old.query("commit");
  expect(await migrating).toEqual(["9001_index"]);
  expect(
    (await other.query("select indisvalid from pg_index where indexrelid = 'accounts_planted_idx'::regclass")).rows,
  ).toEqual([{ indisvalid: true }]);
}, 30_000);

test("an index of a partitioned table is built per partition and attached, also after an interruption", async () => {
  const step =
    "-- Expands.\n-- partitioned index: subjects\ncreate index sends_planted_idx on sends (subject) where subject <> '';";
  const { client, run } = await aDatabase({ "9001_index": step });
  const other = await client("other");
  const { rows } = await other.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'sends'::regclass order by 1",
  );
  const [first] = rows;
  await other.query("create index sends_planted_idx on only sends (subject) where subject <> ''");
  await other.query(`create index ${first?.name}_planted_idx on ${first?.name} (subject) where subject <> ''`);
  await other.query(`update pg_index set indisvalid = false where indexrelid = '${first?.name}_planted_idx'::regclass`);
  expect(await run()).toEqual(["9001_index"]);
  const built = await other.query(
    "select count(*)::integer as parts, (select indisvalid from pg_index where indexrelid = 'sends_planted_idx'::regclass) as valid from pg_inherits where inhparent = 'sends_planted_idx'::regclass",
  );
  expect(built.rows).toEqual([{ parts: rows.length, valid: true }]);
}, 30_000);

test("a backfill runs in batches until it changes no row", async () => {
  const step = `-- Expands.
-- step: the column
alter table accounts add column if not exists planted text;
-- repeat: fill it
with batch as (select id from accounts where planted is null order by id limit 3)
update accounts set planted = name from batch where accounts.id = batch.id;`;
  const { client, run } = await aDatabase({ "9001_fill": step });
  const other = await client("other");
  await other.query("insert into accounts (id, name) select gen_random_uuid(), 'Acme' from generate_series(1, 10)");
  expect(await run()).toEqual(["9001_fill"]);
  expect((await other.query("select count(*)::integer as open from accounts where planted is null")).rows).toEqual([
    { open: 0 },
  ]);
});

async function aDatabase(steps: Record<string, string>) {
  const { url, drop } = await copyTemplate(inject("serverUrl"));
  onTestFinished(drop);
  const folder = plantedSteps(steps);
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  const run = (lockWithinMs = 60_000) =>
    migrate(url, report, { steps: { folder, table: "schema_migrations" }, lockWithinMs });
  const client = async (name: string) => {
    const opened = new pg.Client({ connectionString: url, application_name: name });
    opened.on("error", () => undefined);
    await opened.connect();
    onTestFinished(() => opened.end().catch(() => undefined));
    return opened;
  };
  return { client, run, lines };
}

/** The longest time that a read of accounts took, within the given time. */
async function longestRead(client: pg.Client, ms: number): Promise<number> {
  let longest = 0;
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; await sleep(20)) {
    const startedAt = performance.now();
    await client.query("select from accounts");
    longest = Math.max(longest, performance.now() - startedAt);
  }
  return longest;
}

async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}
