import { afterEach, describe, expect, test } from "vitest";
import { type Pgbouncer, startPgbouncer } from "../../../test/pgbouncer/start-pgbouncer.ts";
import { asAdmin } from "../../../test/template-database.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { openDatabase } from "../database.ts";
import { findUsablePooler, requireDirect } from "./require-usable-pooler.ts";
import { storeRoleSettings } from "./role-settings.ts";

const database = useTestDatabase();
const started: Pgbouncer[] = [];

afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
});

async function aPgbouncer(...[options]: [Parameters<typeof startPgbouncer>[1]?]): Promise<Pgbouncer> {
  const pgbouncer = await startPgbouncer(database.url, options);
  started.push(pgbouncer);
  return pgbouncer;
}

async function aPreparedPgbouncer(...options: Parameters<typeof aPgbouncer>): Promise<Pgbouncer> {
  await storeRoleSettings(database.url);
  return aPgbouncer(...options);
}

function check(pgbouncer: Pgbouncer, directUrl = database.url): Promise<boolean> {
  return findUsablePooler({ url: pgbouncer.url, directUrl });
}

test("PostgreSQL itself is no pooler, with and without DATABASE_DIRECT_URL", async () => {
  expect(await findUsablePooler({ url: database.url, directUrl: database.url })).toBe(false);
  await storeRoleSettings(database.url);
  expect(await findUsablePooler({ url: database.url, directUrl: `${database.url}?a=b` })).toBe(false);
});

test("the documented configuration is accepted, and statements run with the settings of the role", async () => {
  const pgbouncer = await aPreparedPgbouncer();
  expect(pgbouncer.version).toMatch(/^PgBouncer 1\.(2[1-9]|[3-9])/);
  expect(await check(pgbouncer)).toBe(true);
  const db = openDatabase({
    url: pgbouncer.url,
    poolSize: 2,
    applicationName: "postern-test",
    onIdleError: () => undefined,
    isPooled: true,
  });
  const rows = await db.query({ name: "seqscan", text: "select current_setting('enable_seqscan') as value" });
  expect(rows).toEqual([{ value: "off" }]);
  await db.close();
});

test("session mode is accepted as well", async () => {
  expect(await check(await aPreparedPgbouncer({ changes: { pool_mode: "session" } }))).toBe(true);
});

describe("refused with the fix:", () => {
  test("1.18, which loses prepared statements", async () => {
    // It does not know this setting, and would not start with it.
    const changes = { max_prepared_statements: undefined };
    const pgbouncer = await aPreparedPgbouncer({ version: "outdated", changes });
    expect(pgbouncer.version).toBe("PgBouncer 1.18.0");
    await expect(check(pgbouncer)).rejects.toThrow("PgBouncer 1.21 or newer with max_prepared_statements = 200");
  });

  const wrong = [
    ["max_prepared_statements = 0", { max_prepared_statements: "0" }, "max_prepared_statements = 200"],
    ["statement mode", { pool_mode: "statement" }, "pool_mode = transaction"],
    ["a pool of two", { default_pool_size: "2" }, "default_pool_size = 20"],
    ["a setting that the pooler changes", { database: "" }, "jit is on instead of off"],
  ] as const;

  test.for(wrong)("%s", async ([, changes, message]) => {
    const { hostname, port, pathname } = new URL(database.url);
    const entry = `host=${hostname} port=${port} dbname=${pathname.slice(1)} connect_query='set jit = on'`;
    const pgbouncer = await aPreparedPgbouncer({ changes: "database" in changes ? { database: entry } : changes });
    await expect(check(pgbouncer)).rejects.toThrow(message);
  });

  test("a pooler that logs in to another database", async () => {
    const { hostname, port } = new URL(database.url);
    const pgbouncer = await aPreparedPgbouncer({
      changes: { database: `host=${hostname} port=${port} dbname=postgres` },
    });
    await expect(check(pgbouncer)).rejects.toThrow("the database postgres instead of");
  });

  test("a pooler without DATABASE_DIRECT_URL, for a start and for migrations", async () => {
    const pgbouncer = await aPgbouncer();
    await expect(check(pgbouncer, pgbouncer.url)).rejects.toThrow(
      "set DATABASE_DIRECT_URL to the address of PostgreSQL",
    );
    const urls = { url: pgbouncer.url, directUrl: pgbouncer.url };
    await expect(requireDirect(urls)).rejects.toThrow("set DATABASE_DIRECT_URL to the address of PostgreSQL");
  });

  test("a DATABASE_DIRECT_URL that leads to a pooler, for a start and for migrations", async () => {
    const pgbouncer = await aPgbouncer();
    const urls = { url: database.url, directUrl: pgbouncer.url };
    await expect(findUsablePooler(urls)).rejects.toThrow("DATABASE_DIRECT_URL leads to a connection pooler");
    await expect(requireDirect(urls)).rejects.toThrow("DATABASE_DIRECT_URL leads to a connection pooler");
    await expect(requireDirect({ url: pgbouncer.url, directUrl: database.url })).resolves.toBeUndefined();
  });

  test("a role without the settings, before the pooler opens a session that lacks them", async () => {
    const pgbouncer = await aPreparedPgbouncer();
    await resetRole();
    await expect(check(pgbouncer)).rejects.toThrow(/enable_seqscan is on instead of off.*Run `postern migrate`/);
    expect(await pgbouncer.command("show servers")).toEqual([]);
  });

  test("sessions from before the settings, until RECONNECT", async () => {
    await resetRole();
    const pgbouncer = await aPgbouncer();
    await asAdmin(pgbouncer.url, (client) => client.query("select"));
    await storeRoleSettings(database.url);
    await expect(check(pgbouncer)).rejects.toThrow("Run RECONNECT in the console of PgBouncer");
    await pgbouncer.command("reconnect");
    expect(await check(pgbouncer)).toBe(true);
  });

  test("a PgBouncer that is down, naming the setting", async () => {
    const pgbouncer = await aPreparedPgbouncer();
    await pgbouncer.kill();
    await expect(check(pgbouncer)).rejects.toThrow(/Cannot connect to PostgreSQL .*Check DATABASE_URL/);
    await expect(check(pgbouncer, pgbouncer.url.replace("secret", "other"))).rejects.toThrow(
      "Check DATABASE_DIRECT_URL",
    );
  });
});

async function resetRole(): Promise<void> {
  const { pathname, username } = new URL(database.url);
  await asAdmin(database.url, (client) =>
    client.query(`alter role ${username} in database ${pathname.slice(1)} reset all`),
  );
}
