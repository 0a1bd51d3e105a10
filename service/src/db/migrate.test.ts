import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { createEmptyDatabase, openTestDatabase } from "../../test/template-database.ts";
import { knownMigrations, migrate } from "./migrate.ts";

const folder = new URL("../../migrations/", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));

test("migrations are files named NNNN_what_it_brings.sql, numbered from 1 without a gap", () => {
  expect(files).not.toHaveLength(0);
  for (const [position, file] of files.toSorted().entries()) {
    expect(file).toMatch(/^\d{4}(_[a-z0-9]+)+\.sql$/);
    expect(Number(file.slice(0, 4))).toBe(position + 1);
  }
});

test("a release knows every migration in its folder, oldest first", () => {
  expect(knownMigrations()).toEqual(files.toSorted().map((file) => file.slice(0, -".sql".length)));
});

test("four processes that migrate an empty database concurrently all succeed, and each migration is applied once", async () => {
  const { url, applied } = await anEmptyDatabase();
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate(url, () => undefined)));
  expect(results.toSorted((one, other) => other.length - one.length)).toEqual([knownMigrations(), [], [], []]);
  expect(await applied()).toEqual(knownMigrations());
});

test("migrating again applies nothing and returns an empty list", async () => {
  const { url, applied } = await anEmptyDatabase();
  expect(await migrate(url, () => undefined)).toEqual(knownMigrations());
  expect(await migrate(url, () => undefined)).toEqual([]);
  expect(await applied()).toEqual(knownMigrations());
});

test("an older release leaves a newer schema unchanged", async () => {
  const { url, db, applied } = await anEmptyDatabase();
  await migrate(url, () => undefined);
  const newer = "9999_from_the_next_release";
  await db.query({
    name: "apply-newer",
    text: "insert into schema_migrations (name, run_on) values ($1, now())",
    values: [newer],
  });
  expect(await migrate(url, () => undefined)).toEqual([]);
  expect(await applied()).toEqual([...knownMigrations(), newer]);
});

test("a database of another owner is refused with the statement that fixes it", async () => {
  const { url, db } = await anEmptyDatabase();
  const user = `ada_${randomBytes(4).toString("hex")}`;
  await db.query({ name: "create-role", text: `create role ${user} login password 'a password'` });
  onTestFinished(async () => void (await db.query({ name: "drop-role", text: `drop role ${user}` })));
  const asUser = Object.assign(new URL(url), { username: user, password: "a password" }).href;
  await expect(migrate(asUser, () => undefined)).rejects.toThrow(`owner to "${user}"`);
});

test("a database from before the baseline is refused with the steps to take, and stays unchanged", async () => {
  const { url, db, applied } = await anEmptyDatabase();
  await db.query({
    name: "make-old-schema",
    text: "create table schema_migrations (id serial primary key, name text not null, run_on timestamp not null)",
  });
  await db.query({
    name: "apply-old",
    text: "insert into schema_migrations (name, run_on) values ('0001_accounts', now())",
  });
  await expect(migrate(url, () => undefined)).rejects.toThrow(/Create an empty database.*run `postern migrate`/);
  expect(await applied()).toEqual(["0001_accounts"]);
});

test("no migration after 0017 blocks claims on two tables, or it could deadlock with a claim of the version before it", async () => {
  const { url } = await anEmptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const blocked: Record<string, string[]> = {};
  for (const file of files.toSorted()) {
    await client.query(`begin; ${inTransaction(file)}`);
    const { rows } = await client.query<{ name: string }>(`
      select distinct relation::regclass::text as name
      from pg_locks
      where pid = pg_backend_pid()
        and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        and relation::regclass::text in ('domains', 'provider_state', 'send_queue')`);
    await client.query("commit");
    blocked[file] = rows.map(({ name }) => name);
  }
  const later = Object.entries(blocked).filter(([file]) => file > "0018");
  expect(later.filter(([, tables]) => tables.length > 1)).toEqual([]);
  expect(blocked["0018_denied_domains.sql"]).toEqual(["domains"]);
});

test("the sessions from before the upgrade keep the time of their log-in as last use, and their account", async () => {
  const { url } = await anEmptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const id = "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f";
  for (const file of files.toSorted()) {
    if (file.startsWith("0036")) {
      await client.query(`
        insert into accounts (id, name) values ('${id}', 'Acme');
        insert into users (id, account_id, email, password_hash) values ('${id}', '${id}', 'ada@example.com', 'x');
        insert into logins (id, user_id, created_at, expires_at)
        values ('${id}', '${id}', now() - interval '9 days', now() + interval '21 days')`);
    }
    await client.query(inTransaction(file));
  }
  const { rows } = await client.query("select account_id, last_used_at = created_at as is_time_of_login from logins");
  expect(rows).toEqual([{ account_id: id, is_time_of_login: true }]);
});

/** The text of a migration. PostgreSQL builds no index concurrently with other statements. */
function inTransaction(file: string): string {
  return readFileSync(new URL(file, folder), "utf8").replaceAll("index concurrently", "index");
}

async function anEmptyDatabase() {
  const { url, drop } = await createEmptyDatabase(inject("serverUrl"));
  const db = openTestDatabase(url);
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  const applied = async () => {
    const rows = await db.query<{ name: string }>({
      name: "applied-migrations",
      text: "select name from schema_migrations order by id",
    });
    return rows.map((row) => row.name);
  };
  return { url, db, applied };
}
