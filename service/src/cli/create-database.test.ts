import { randomBytes } from "node:crypto";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { runPostern } from "../../test/run-postern.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { findMissingMigrations, requireAccountRole } from "../db/require-usable.ts";

describe("postern migrate --create-database", () => {
  test("two concurrent runs create the database once, and both end with code 0 and the whole schema", async () => {
    const { url, name } = aDatabaseToCreate(`Two-${suffix()}`);
    const migrate = () => runPostern(["migrate", "--create-database"], { DATABASE_URL: url });
    const both = await Promise.all([migrate(), migrate()]);
    expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([aSuccess, aSuccess]);
    expect(both.filter(({ stdout }) => stdout.includes(`created the database ${name}\n`))).toHaveLength(1);
    const db = openTestDatabase(url);
    onTestFinished(() => db.close());
    expect(await findMissingMigrations(db)).toEqual([]);
    await requireAccountRole(db);
    const [encoding] = await db.query<{ encoding: string }>({
      name: "encoding",
      text: "select current_setting('server_encoding') as encoding",
    });
    expect(encoding).toEqual({ encoding: "UTF8" });
  });

  test("a database that exists is migrated and not created", async () => {
    const { url } = aDatabaseToCreate(`existing_${suffix()}`);
    await runPostern(["migrate", "--create-database"], { DATABASE_URL: url });
    expect(await runPostern(["migrate", "--create-database"], { DATABASE_URL: url })).toEqual({
      ...aSuccess,
      stdout: "The schema is up to date.\n",
    });
  });

  test("a user who may not create databases gets code 1 and the statement for an administrator", async () => {
    const user = `plain_${suffix()}`;
    await asServer(`create role ${user} login`);
    onTestFinished(() => asServer(`drop role ${user}`));
    const { url, name } = aDatabaseToCreate(`refused_${suffix()}`, { user });
    const refused = await runPostern(["migrate", "--create-database"], { DATABASE_URL: url });
    expect(refused).toEqual({
      code: 1,
      stdout: "",
      stderr:
        `The database ${name} does not exist, and the user ${user} of DATABASE_URL may not create databases. ` +
        `Ask an administrator of PostgreSQL to run once: create database "${name}" owner "${user}";\n`,
    });
    await asServer(`create database "${name}" owner "${user}"`);
    expect(await runPostern(["migrate", "--create-database"], { DATABASE_URL: url })).toMatchObject(aSuccess);
  });

  test("without the option the message names it", async () => {
    const { url } = aDatabaseToCreate(`missing_${suffix()}`);
    const { code, stderr } = await runPostern(["migrate"], { DATABASE_URL: url });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("or create the database: `postern migrate --create-database`."),
    });
  });
});

const aSuccess = { code: 0, stderr: "" };

function suffix(): string {
  return randomBytes(6).toString("hex");
}

/** The address of a database that does not exist yet. The test drops it when it finishes. */
function aDatabaseToCreate(name: string, { user }: { user?: string } = {}) {
  const url = new URL(inject("serverUrl"));
  url.pathname = `/${name}`;
  if (user !== undefined) Object.assign(url, { username: user, password: "" });
  onTestFinished(() => asServer(`drop database if exists "${name}" with (force)`));
  return { url: url.href, name };
}

async function asServer(text: string): Promise<void> {
  const db = openTestDatabase(inject("serverUrl"));
  await db.query({ name: `server-${suffix()}`, text });
  await db.close();
}
