import { expect, inject, onTestFinished, test, vi } from "vitest";
import { stopClock } from "../../test/fake-clock.ts";
import { copyTemplate, openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { cacheForOneSecond, checkReadiness } from "./readiness.ts";

const database = useTestDatabase();

test("a migrated database is ready", async () => {
  expect(await checkReadiness(database.db)).toEqual({
    isReady: true,
    checks: { database: "ok", schema: "ok", partitions: "ok" },
  });
});

test("a database that lacks a migration is not ready, and the check names the migration", async () => {
  await database.db.query({
    name: "delete-migration",
    text: "delete from schema_migrations where name = '0004_api_keys'",
  });
  const { isReady, checks } = await checkReadiness(database.db);
  await database.db.query({
    name: "restore-migration",
    text: "insert into schema_migrations (name, run_on) values ('0004_api_keys', now())",
  });
  expect(isReady).toBe(false);
  expect(checks.schema).toEqual({ missing: ["0004_api_keys"] });
});

test("a database without a partition for the current time is not ready, and the check names the command to run", async () => {
  const db = await databaseWithSendsUntil("now()");
  const { isReady, checks } = await checkReadiness(db);
  expect(isReady).toBe(false);
  expect(checks).toEqual({ database: "ok", schema: "ok", partitions: { missing: ["sends"], run: "postern migrate" } });
});

test("partitions that end within 14 days are reported as degraded, and the database stays ready", async () => {
  const db = await databaseWithSendsUntil("now() + interval '13.5 days'");
  const { isReady, checks } = await checkReadiness(db);
  expect(isReady).toBe(true);
  expect(checks.partitions).toEqual({
    degraded: ["the partitions of sends end in 13 days; check that a worker is running"],
  });
});

test("rows in a default partition are reported as degraded, and the database stays ready", async () => {
  const db = await anotherDatabase();
  await db.query({
    name: "add-row-to-default-partition",
    text: "insert into send_contents (id, sealed) values (first_id_at('2001-01-01'), '')",
  });
  const { isReady, checks } = await checkReadiness(db);
  expect(isReady).toBe(true);
  expect(checks.partitions).toEqual({ degraded: ["send_contents_default has rows"] });
});

test("an unreachable database is not ready", async () => {
  const gone = { query: () => Promise.reject(new AppError("UNAVAILABLE", "gone")) };
  expect(await checkReadiness(gone)).toEqual({
    isReady: false,
    checks: { database: "unreachable", schema: "unknown", partitions: "unknown" },
  });
});

test("probes within one second share one check, and a later probe checks again", async () => {
  stopClock();
  let reads = 0;
  const check = cacheForOneSecond(async () => ++reads);
  expect(await Promise.all([check(), check(), check()])).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(1001);
  expect(await check()).toBe(2);
  vi.useRealTimers();
});

async function anotherDatabase(): Promise<Database> {
  const { url, drop } = await copyTemplate(inject("serverUrl"));
  const db = openTestDatabase(url);
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  return db;
}

async function databaseWithSendsUntil(end: string): Promise<Database> {
  const db = await anotherDatabase();
  await db.query({
    name: "end-partitions-of-sends",
    text: `
      do $$
      declare part text;
      begin
        for part in select name from partition_ranges where parent = 'sends' and ends_at is not null loop
          execute format('drop table %I', part);
        end loop;
        execute format(
          'create table sends_only partition of sends for values from (%L) to (%L)',
          first_id_at('2026-01-01'), first_id_at(${end})
        );
      end
      $$`,
  });
  return db;
}
