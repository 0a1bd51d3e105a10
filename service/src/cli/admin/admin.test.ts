import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import { aLogin, aUser } from "../../../test/builders.ts";
import { aSeparateDatabase, runPostern } from "../../../test/run-postern.ts";
import { createEmptyDatabase } from "../../../test/template-database.ts";
import { aConfig, anEnvironment } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { isPassword } from "../../accounts/password.ts";
import { findUserByEmail } from "../../accounts/user-store.ts";
import { readConfig } from "../../config.ts";
import { listSessions } from "../../logins/session-store.ts";
import { findTotp } from "../../logins/totp-store.ts";
import { createCredentialDeps } from "../../processes/api-deps.ts";

const shared = useTestDatabase();

describe("postern admin", () => {
  const admin = (...args: string[]) => runPostern(["admin", ...args], { DATABASE_URL: shared.url });

  test("generate-secrets prints lines for a .env file, with new secrets each time", async () => {
    const [one, other] = await Promise.all([
      runPostern(["admin", "generate-secrets"]),
      runPostern(["admin", "generate-secrets"]),
    ]);
    expect(one).toMatchObject({ code: 0, stderr: "" });
    expect(readConfig(anEnvironment(parseEnv(one.stdout))).secrets).toBeDefined();
    const secrets = [one, other].flatMap(({ stdout }) => Object.values(parseEnv(stdout)));
    expect(new Set(secrets.map((secret) => secret?.split(":")[1])).size).toBe(6);
  });

  test("create-account prints a password that works and is not stored anywhere", async () => {
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

  test("create-account refuses an email that is in use, says so, and creates no account", async () => {
    await admin("create-account", "--name", "The first", "--email", "taken@shop.test");
    const { code, stdout, stderr } = await admin("create-account", "--name", "The 2nd", "--email", "Taken@shop.test");
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: "A user with the email Taken@shop.test already exists. Choose another one.\n",
    });
    const rows = await shared.db.query({
      name: "account-of-refused-user",
      text: "select from accounts where name = 'The 2nd'",
    });
    expect(rows).toEqual([]);
  });

  test("suspend and resume change the account of the user and no other account", async () => {
    const [email, bystander] = [await aLoggedInUser(), await aLoggedInUser()];
    expect(await admin("suspend", "--email", email)).toMatchObject({ code: 0 });
    expect(await findUserByEmail(shared.db, email)).toMatchObject({ isSuspended: true });
    expect(await findUserByEmail(shared.db, bystander)).toMatchObject({ isSuspended: false });
    expect(await admin("resume", "--email", email)).toMatchObject({ code: 0 });
    expect(await findUserByEmail(shared.db, email)).toMatchObject({ isSuspended: false });
  });

  test("set-limits changes the given limits and keeps the others", async () => {
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

  test("reset-password prints a new password, invalidates the old one and ends every login", async () => {
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

  test("disable-totp turns TOTP off, deletes the recovery codes and ends every login", async () => {
    const { id, email } = await aLogin(shared.db, createCredentialDeps(aConfig()).loginDeps);
    await shared.db.query({
      name: "enable-totp-of",
      text: `
        with enabled as (
          update users set totp_secret = 'x', totp_enabled_at = now() where id = $1
        )
        insert into recovery_codes (user_id, code_hash) values ($1, 'x')`,
      values: [id],
    });
    const { code, stdout } = await admin("disable-totp", "--email", email);
    expect([code, stdout]).toEqual([0, expect.stringContaining("is off")]);
    expect(await findTotp(shared.db, id)).toMatchObject({ secret: null, enabledAt: null, recoveryCodes: 0 });
    expect(await listSessions(shared.db, id)).toEqual([]);
    expect((await admin("disable-totp", "--email", email)).stdout).toContain("had no two-factor authentication");
  });

  test.for(["suspend", "resume", "set-limits", "reset-password", "disable-totp"])(
    "%s names an email that no user has",
    async (command) => {
      expect(await admin(command, "--email", "nobody@shop.test")).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^There is no (user with the email|account) nobody@shop\.test\./),
      });
    },
  );

  test("suspend refuses the email of a person in several accounts, names the accounts, and takes the id of one", async () => {
    const user = await aUser(shared.db);
    const other = await aUser(shared.db);
    await shared.db.query({
      name: "join-other",
      text: "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')",
      values: [user.id, other.accountId],
    });
    const refused = await admin("suspend", "--email", user.email);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(other.accountId)]);
    expect(await findUserByEmail(shared.db, other.email)).toMatchObject({ isSuspended: false });
    expect((await admin("suspend", "--email", other.accountId)).code).toBe(0);
    expect(await findUserByEmail(shared.db, other.email)).toMatchObject({ isSuspended: true });
    expect(await findUserByEmail(shared.db, user.email)).toMatchObject({ isSuspended: false });
  });

  const wrongArguments = [
    ["an unknown option", ["suspend", "--mail", "a@shop.test"], 'Did you mean "--email"?', "suspend --email EMAIL"],
    ["a missing option", ["create-account", "--name", "A shop"], "--email is missing.", "create-account --name NAME"],
    ["a missing value", ["resume", "--email"], "--email needs a value.", "resume --email EMAIL"],
    ["an unknown command", ["create-acount"], 'Did you mean "create-account"?', "<command>"],
  ] as const;

  test.for(wrongArguments)("%s ends with code 64, the reason and the usage", async ([, args, reason, usage]) => {
    const { code, stderr } = await admin(...args);
    expect(code).toBe(64);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(`\n\nUsage: postern admin ${usage}`);
    expect(stderr).not.toContain("    at ");
  });

  test("a database without tables ends with code 78, and the message names `postern migrate`", async () => {
    const { url } = await aSeparateDatabase(createEmptyDatabase);
    const { code, stderr } = await runPostern(["admin", "suspend", "--email", "a@shop.test"], { DATABASE_URL: url });
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining("Run `postern migrate` first.") });
  });
});

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
