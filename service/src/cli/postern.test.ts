import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { aLogin } from "../../test/builders.ts";
import { posternPath } from "../../test/spawn-postern.ts";
import { copyTemplate, createEmptyDatabase, openTestDatabase } from "../../test/template-database.ts";
import { aConfig, anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { isPassword } from "../accounts/password.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import { type Environment, readConfig } from "../config.ts";
import { knownMigrations } from "../db/migrate.ts";
import { createCredentialDeps } from "../processes/api-deps.ts";
import { rememberProvider } from "../provider/remember-provider.ts";
import { inspectPartitions } from "../storage/partitions.ts";

const shared = useTestDatabase();

describe("postern", () => {
  test.for([[], ["help"], ["--help"]])("explains itself when called as: postern %s", async (args) => {
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    for (const command of ["dev", "api", "worker", "migrate", "aws", "status", "admin"])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });

  test("an unknown command ends with 64 and the usage", async () => {
    const { code, stderr } = await run(["start"]);
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('There is no command "start".') });
    expect(stderr).toContain("Usage: postern <command>");
  });

  test("a .env file in the working directory is read, and the environment counts before it", async () => {
    const folder = aFolder({ ".env": `DATABASE_URL=${shared.url}\nLOG_LEVEL=loud\n` });
    expect(await run(["migrate"], { LOG_LEVEL: "info" }, folder)).toMatchObject({ code: 0 });
    const refused = await run(["migrate"], {}, folder);
    expect(refused).toMatchObject({ code: 78, stderr: expect.stringMatching(/1 problem .*\n {2}- LOG_LEVEL /) });
  });
});

describe("postern migrate", () => {
  test.for(["api", "worker", "migrate"])("postern %s takes no options, and says so", async (command) => {
    const { code, stderr } = await run([command, "--port", "4000"], {});
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("takes no options") });
    expect(await run([command, "--help"], {})).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Usage: postern"),
    });
  });

  test("two at once on an empty database both end with 0, and each migration is reported once", async () => {
    const { url, db } = await anotherDatabase(createEmptyDatabase);
    const both = await Promise.all([run(["migrate"], { DATABASE_URL: url }), run(["migrate"], { DATABASE_URL: url })]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const applied = both.flatMap(({ stdout }) => [...stdout.matchAll(/^applied (.+)$/gm)].map(([, name]) => name));
    expect(applied).toEqual(knownMigrations());
    expect(both.map(({ stdout }) => stdout).toSorted()).toContain("The schema is up to date.\n");
    const chores = "select from pg_tables where schemaname = 'pgboss' and tablename = 'queue'";
    expect(await db.query({ name: "tables-of-chores", text: chores })).toHaveLength(1);
    for (const { coversNow, isDefaultUsed } of await inspectPartitions(db)) {
      expect({ coversNow, isDefaultUsed }).toEqual({ coversNow: true, isDefaultUsed: false });
    }
  });

  test("where partitions cannot be made it ends with 1 and says of which table and why", async () => {
    const { url, db } = await anotherDatabase(copyTemplate);
    await db.query({
      name: "leave-one-detached",
      text: `
        do $$
        declare newest text;
        begin
          select name into newest from partition_ranges where parent = 'sends' order by ends_at desc nulls last limit 1;
          execute format('alter table sends detach partition %I', newest);
        end
        $$`,
    });
    const { code, stderr } = await run(["migrate"], { DATABASE_URL: url });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Partitions could not be made\..*\n {2}- sends: /),
    });
  });
});

describe("postern api does not start", () => {
  test("with a wrong configuration: it ends with 78 and lists every problem", async () => {
    const { code, stderr } = await run(
      ["api"],
      anEnvironment({ AWS_REGION: "europe", PORT: "70000", CONTENT_KEY: "" }),
    );
    expect(code).toBe(78);
    expect(stderr).toContain("Postern cannot start. 3 problems in the configuration:");
    for (const key of ["AWS_REGION", "PORT", "CONTENT_KEY"]) expect(stderr).toMatch(new RegExp(`^ {2}- ${key} `, "m"));
  });

  test("on a database without tables: it ends with 78 and names `postern migrate`", async () => {
    const { url } = await anotherDatabase(createEmptyDatabase);
    const { code, stderr } = await run(["api"], anEnvironment({ DATABASE_URL: url }));
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining("Run `postern migrate` first.") });
  });

  test("on a database of an older release: it ends with 78 and names what is missing", async () => {
    const { url, db } = await anotherDatabase(copyTemplate);
    const newest = knownMigrations().at(-1) ?? "";
    await db.query({ name: "older", text: "delete from schema_migrations where name = $1", values: [newest] });
    const { code, stderr } = await run(["api"], anEnvironment({ DATABASE_URL: url }));
    expect(code).toBe(78);
    expect(stderr).toContain(`The database lacks ${newest}. Run \`postern migrate\` first.`);
  });

  test("with another provider than the database belongs to: it ends with 78", async () => {
    const { url, db } = await anotherDatabase(copyTemplate);
    await rememberProvider(db, "ses");
    const { code, stderr } = await run(["api"], anEnvironment({ DATABASE_URL: url }));
    expect(code).toBe(78);
    expect(stderr).toContain("This database belongs to POSTERN_PROVIDER=ses, but this process is set to simulator.");
  });

  test("on a database whose commits do not wait for the disk: it ends with 78", async () => {
    const { url, db } = await anotherDatabase(copyTemplate);
    const name = new URL(url).pathname.slice(1);
    await db.query({ name: "lossy", text: `alter database ${name} set synchronous_commit = off` });
    const { code, stderr } = await run(["api"], anEnvironment({ DATABASE_URL: url }));
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining("synchronous_commit off") });
  });

  test("without a database: it ends with 1 and a sentence", async () => {
    const { code, stderr } = await run(["api"], anEnvironment());
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^PostgreSQL cannot be reached \(.*ECONNREFUSED.*\)\. Check DATABASE_URL and the server\.\n$/,
      ),
    });
  });

  test.for([
    ["nobody answers", "postgres://nobody@127.0.0.1:1/nothing"],
    ["there is no such database", ""],
  ])("migrate where %s: it ends with 1 and a sentence", async ([, given = ""]) => {
    const url = given === "" ? `${shared.url}_that_is_not_there` : given;
    const { code, stderr } = await run(["migrate"], anEnvironment({ DATABASE_URL: url }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^PostgreSQL (cannot be reached|does not let us in) \(.+\)\. Check DATABASE_URL.*\.\n$/,
      ),
    });
  });

  test.for(["PORT", "OPERATIONS_PORT"])("when %s is taken: it ends with 1 and says which port", async (key) => {
    const port = await aTakenPort();
    const { code, stderr } = await run(["api"], anEnvironment({ DATABASE_URL: shared.url, [key]: port }));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${key} is ${port}, but 127.0.0.1:${port} cannot be listened on: it is in use; each process on a machine needs ports of its own.\n`,
    });
  });
});

describe("postern admin", () => {
  const admin = (...args: string[]) => run(["admin", ...args], { DATABASE_URL: shared.url });

  test("generate-secrets prints a block that a .env file takes as it is, different each time", async () => {
    const [one, other] = await Promise.all([run(["admin", "generate-secrets"]), run(["admin", "generate-secrets"])]);
    expect(one).toMatchObject({ code: 0, stderr: "" });
    expect(readConfig(anEnvironment(parseEnv(one.stdout))).secrets).toBeDefined();
    const secrets = [one, other].flatMap(({ stdout }) => Object.values(parseEnv(stdout)));
    expect(new Set(secrets.map((secret) => secret?.split(":")[1])).size).toBe(6);
  });

  test("create-account prints a password that works and is stored nowhere", async () => {
    const { code, stdout } = await admin("create-account", "--name", "A shop", "--email", "Owner@shop.test");
    expect(code).toBe(0);
    const password = /^Password (\S+)$/m.exec(stdout)?.[1] ?? "";
    expect(stdout.split(password)).toHaveLength(2);
    const user = await findUserByEmail(shared.db, "owner@shop.test");
    expect(await isPassword(password, user?.passwordHash ?? "")).toBe(true);
    expect(stdout).toContain(user?.accountId);
    expect(await wholeDatabase()).toContain("owner@shop.test");
    expect(await wholeDatabase()).not.toContain(password);
  });

  test("create-account refuses an email that is in use with a sentence, and leaves no half account", async () => {
    await admin("create-account", "--name", "The first", "--email", "taken@shop.test");
    const { code, stdout, stderr } = await admin("create-account", "--name", "The 2nd", "--email", "Taken@shop.test");
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: "A user with the email Taken@shop.test exists already. Choose another one.\n",
    });
    const rows = await shared.db.query({ name: "half", text: "select from accounts where name = 'The 2nd'" });
    expect(rows).toEqual([]);
  });

  test("suspend and resume do so to the account of the user and to no other", async () => {
    const [email, bystander] = [await aLoggedInUser(), await aLoggedInUser()];
    expect(await admin("suspend", "--email", email)).toMatchObject({ code: 0 });
    expect(await findUserByEmail(shared.db, email)).toMatchObject({ isSuspended: true });
    expect(await findUserByEmail(shared.db, bystander)).toMatchObject({ isSuspended: false });
    expect(await admin("resume", "--email", email)).toMatchObject({ code: 0 });
    expect(await findUserByEmail(shared.db, email)).toMatchObject({ isSuspended: false });
  });

  test("set-limits changes the limits that are given and keeps the others", async () => {
    const email = await aLoggedInUser();
    const { code, stdout } = await admin("set-limits", "--email", email, "--per-second", "50", "--per-minute", "900");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Limits are now 50 per second, 20 per 10 seconds, 900 per minute.\n",
    });
    expect(await limitsOf(email)).toEqual([{ second: 50, tenSeconds: 20, minute: 900 }]);
  });

  test.for(["0", "1.5", "1000001"])("set-limits refuses %s and changes nothing", async (limit) => {
    const email = await aLoggedInUser();
    const args = ["set-limits", "--email", email, "--per-second", "7", `--per-minute=${limit}`];
    expect(await admin(...args)).toMatchObject({ code: 64, stderr: expect.stringContaining(`not "${limit}"`) });
    expect(await limitsOf(email)).toEqual([{ second: 3, tenSeconds: 20, minute: 100 }]);
  });

  test("reset-password prints a new password, retires the old one and ends every login", async () => {
    const email = await aLoggedInUser();
    const before = await findUserByEmail(shared.db, email);
    const { code, stdout } = await admin("reset-password", "--email", email);
    expect(code).toBe(0);
    const password = /: (\S+)$/m.exec(stdout)?.[1] ?? "";
    const after = await findUserByEmail(shared.db, email);
    expect(await isPassword(password, after?.passwordHash ?? "")).toBe(true);
    expect(await isPassword(password, before?.passwordHash ?? "")).toBe(false);
    const open = { name: "open-logins", text: "select from logins where user_id = $1", values: [before?.id] };
    expect(await shared.db.query(open)).toEqual([]);
    expect(await wholeDatabase()).not.toContain(password);
  });

  test.for(["suspend", "resume", "set-limits", "reset-password"])(
    "%s names an email that nobody has",
    async (command) => {
      expect(await admin(command, "--email", "nobody@shop.test")).toEqual({
        code: 1,
        stdout: "",
        stderr: "There is no user with the email nobody@shop.test.\n",
      });
    },
  );

  const misused = [
    ["an unknown option", ["suspend", "--mail", "owner@shop.test"], "'--mail'"],
    ["a missing option", ["create-account", "--name", "A shop"], "--email is missing."],
    ["an unknown command", ["delete-account"], 'There is no command "delete-account".'],
  ] as const;

  test.for(misused)("with %s it ends with 64, the reason and the usage", async ([, args, reason]) => {
    const { code, stderr } = await admin(...args);
    expect(code).toBe(64);
    expect(stderr).toContain(reason);
    expect(stderr).toContain("Usage: postern admin <command> [options]");
    expect(stderr).not.toContain("    at ");
  });

  test("on a database without tables it ends with 78 and names `postern migrate`", async () => {
    const { url } = await anotherDatabase(createEmptyDatabase);
    const { code, stderr } = await run(["admin", "suspend", "--email", "a@shop.test"], { DATABASE_URL: url });
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining("Run `postern migrate` first.") });
  });
});

/** A real process with this environment and no other, in a folder of its own unless one is given. */
async function run(args: readonly string[], env: Environment = {}, cwd = aFolder({})) {
  const child = spawn(process.execPath, [posternPath, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // Less than the ten seconds for which a forgotten database connection keeps a process from ending.
    timeout: 9_000,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

function aFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-command-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

async function anotherDatabase(create: typeof createEmptyDatabase) {
  const { url, drop } = await create(inject("serverUrl"));
  const db = openTestDatabase(url);
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  return { url, db };
}

async function aTakenPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return String(address.port);
}

async function aLoggedInUser(): Promise<string> {
  return (await aLogin(shared.db, createCredentialDeps(aConfig()).loginDeps)).email;
}

function limitsOf(email: string): Promise<unknown[]> {
  return shared.db.query<unknown>({
    name: "limits-of",
    text: `
      select limit_per_second as second, limit_per_10_seconds as "tenSeconds", limit_per_minute as minute
      from accounts
      join users on users.account_id = accounts.id
      where users.email = $1`,
    values: [email],
  });
}

/** Every row of every table, as text. */
async function wholeDatabase(): Promise<string> {
  const [row] = await shared.db.query<{ dump: string }>({
    name: "whole-database",
    text: "select database_to_xml(true, false, '')::text as dump",
  });
  return row?.dump ?? "";
}
