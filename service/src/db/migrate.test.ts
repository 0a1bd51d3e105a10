import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { expect, inject, onTestFinished, test } from "vitest";
import { createEmptyDatabase, openTestDatabase } from "../../test/template-database.ts";
import { knownMigrations, migrate } from "./migrate.ts";

const files = readdirSync(new URL("../../migrations", import.meta.url));

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
