import { describe, expect, test } from "vitest";
import { anAccount, anApiKey, aUser } from "../../../test/builders.ts";
import { aSeparateDatabase, runPostern } from "../../../test/run-postern.ts";
import { copyTemplate } from "../../../test/template-database.ts";
import { anEnvironment } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { findUserByEmail } from "../../accounts/user-store.ts";
import { identifyApiKey } from "../../api-keys/identify-api-key.ts";
import { readConfig, readKeyIssuer } from "../../config.ts";

const shared = useTestDatabase();
/** Not evaluated at import: the database exists only inside tests. */
const secrets = anEnvironment();
const environment = () => ({ ...secrets, DATABASE_URL: shared.url });
const admin = (...args: string[]) => runPostern(["admin", ...args], environment());

describe("postern admin create-key", () => {
  test("prints a key once that the API accepts, for an account given by email", async () => {
    const { email, accountId } = await aUser(shared.db);
    const { code, stdout } = await admin("create-key", "--account", email, "--type", "test", "--name", "a server");
    expect(code).toBe(0);
    const key = keyIn(stdout);
    expect(await verdictOn(key)).toMatchObject({ kind: "valid" });
    expect(stdout.split(key)).toHaveLength(2);
    expect(stdout).toMatch(new RegExp(`^Account +${accountId} {2}An account$`, "m"));
    expect(stdout).toMatch(/^Expires +never$[\s\S]*The key is not shown again\.\n$/m);
    expect(await admin("list-keys", "--account", accountId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^ID +TYPE +KEY .*\n\S{36} {2}test {2}postern_test_\S+\.\.\. {2}send {4}all {5}never {6}never .* a server\n$/,
      ),
    });
  });

  test("stores the scopes and the domain", async () => {
    const accountId = await anAccount(shared.db);
    const create = (...args: string[]) =>
      admin("create-key", "--account", accountId, "--type", "live", "--name", "a key", ...args);
    const reader = await create("--scope", "suppressions", "--scope", "read");
    const shop = await create("--domain", "Shop.example.com");
    expect([reader.stdout, shop.stdout]).toEqual([
      expect.stringMatching(/^Scopes +read, suppressions\nDomain +all domains of the account$/m),
      expect.stringMatching(/^Scopes +send\nDomain +shop\.example\.com$/m),
    ]);
    const keys = [keyIn(reader.stdout), keyIn(shop.stdout)];
    expect(await Promise.all(keys.map(verdictOn))).toMatchObject([
      { kind: "valid", key: { scopes: ["read", "suppressions"], domain: null } },
      { kind: "valid", key: { scopes: ["send"], domain: "shop.example.com" } },
    ]);
  });

  test("stores the expiry", async () => {
    const accountId = await anAccount(shared.db);
    const args = [
      "--account",
      accountId,
      "--type",
      "live",
      "--name",
      "short",
      "--expires-at",
      "2999-01-31T12:00:00+01:00",
    ];
    expect(await admin("create-key", ...args)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Expires +2999-01-31 11:00:00 UTC$/m),
    });
  });

  test.for([
    [{ "--type": "real" }, '--type must be live or test, not "real".'],
    [{ "--name": " " }, "--name must not be blank"],
    [{ "--scope": "everything" }, "--scope must be "],
    [{ "--domain": "com" }, "--domain must be a domain name"],
    [{ "--domain": "shop.example.com", "--scope": "read" }, "--scope must be exactly send"],
    [{ "--expires-at": "tomorrow" }, "--expires-at must be an ISO 8601 "],
    [{ "--expires-at": "2020-01-01T00:00:00Z" }, "--expires-at must be in the future."],
  ] as const)("refuses %j with code 64 and creates no key", async ([changed, reason]) => {
    const accountId = await anAccount(shared.db);
    const given = Object.entries({ "--account": accountId, "--type": "live", "--name": "a key", ...changed }).flat();
    expect(await admin("create-key", ...given)).toMatchObject({ code: 64, stderr: expect.stringContaining(reason) });
    expect(await admin("list-keys", "--account", accountId)).toMatchObject({ stdout: "An account has no API key.\n" });
  });

  test("at the limit of keys it says so", async () => {
    const accountId = await anAccount(shared.db);
    const text = "update accounts set api_key_limit = 0 where id = $1";
    await shared.db.query({ name: "allow-no-key", text, values: [accountId] });
    const { code, stderr } = await admin("create-key", "--account", accountId, "--type", "live", "--name", "a key");
    expect([code, stderr]).toEqual([64, expect.stringMatching(/^This account has reached its limit of 0 API keys\./m)]);
  });

  test("without API_KEY_PEPPER it ends with code 78 and names the setting", async () => {
    const args = ["admin", "create-key", "--account", "a@shop.test", "--type", "test", "--name", "a key"];
    const { code, stderr } = await runPostern(args, { DATABASE_URL: shared.url });
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: expect.stringMatching(/1 problem .*\n {2}- API_KEY_PEPPER is/),
    });
  });

  test.for(["list-keys", "create-key"])("%s names an account that does not exist", async (command) => {
    const rest = command === "create-key" ? ["--type", "test", "--name", "a key"] : [];
    expect(await admin(command, "--account", "nobody@shop.test", ...rest)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no account nobody@shop.test."),
    });
  });
});

describe("postern admin create-account --with-key", () => {
  test("prints a password and a key that the API accepts, and stores neither", async () => {
    const args = ["--name", "A shop", "--email", "key@shop.test", "--with-key", "test"];
    const { code, stdout } = await admin("create-account", ...args);
    expect(code).toBe(0);
    const user = await findUserByEmail(shared.db, "key@shop.test");
    const expected = { accountId: user?.accountId, scopes: ["send", "read"] };
    expect(await verdictOn(keyIn(stdout))).toMatchObject({ kind: "valid", key: expected });
    expect(stdout).toMatch(/^Password \S+$/m);
    expect(stdout).toContain("Password and key are not shown again.");
  });

  test("without API_KEY_PEPPER it creates no account", async () => {
    const args = ["admin", "create-account", "--name", "None", "--email", "none@shop.test", "--with-key", "live"];
    expect(await runPostern(args, { DATABASE_URL: shared.url })).toMatchObject({ code: 78, stdout: "" });
    expect(await findUserByEmail(shared.db, "none@shop.test")).toBeUndefined();
  });

  test("when the key cannot be created, it has printed the password and says how to create the key", async () => {
    const { url, db } = await aSeparateDatabase(copyTemplate);
    await db.query({
      name: "refuse-keys",
      text: "alter table api_keys add constraint refused check (name = '') not valid",
    });
    const args = ["admin", "create-account", "--name", "Half", "--email", "half@shop.test", "--with-key", "test"];
    const { code, stdout, stderr } = await runPostern(args, { ...environment(), DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Password \S+$/m);
    expect(stderr).toMatch(/^The account was created, but not its key \(.*refused.*\)\. To create the key: /);
    expect(stderr).toContain(
      '`postern admin create-key --account half@shop.test --type test --scope send read --name "first test key"`',
    );
  });
});

describe("postern admin revoke-key", () => {
  test("the API refuses the key from then on, the second run changes nothing, and other keys stay valid", async () => {
    const accountId = await anAccount(shared.db);
    const issuer = readKeyIssuer(environment());
    const [leaked, other] = [
      await anApiKey(shared.db, issuer, accountId),
      await anApiKey(shared.db, issuer, accountId),
    ];
    expect(await admin("revoke-key", leaked.id)).toEqual({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining(`The key ${leaked.keyPrefix} ("a key") of An account is revoked.`),
    });
    expect(await verdictOn(leaked.key)).not.toMatchObject({ kind: "valid" });
    expect(await verdictOn(other.key)).toMatchObject({ kind: "valid" });
    expect(await admin("revoke-key", leaked.id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ was already revoked since \S+ \S+ UTC\.\n$/),
    });
  });

  test.for([
    ["01a1de08-c60b-7e09-9a1f-2112aa858c67", 1, "There is no key 01a1de08"],
    ["postern_live_AA", 64, "is not the id of a key"],
  ] as const)("refuses %s", async ([id, code, reason]) => {
    expect(await admin("revoke-key", id)).toMatchObject({ code, stderr: expect.stringContaining(reason) });
  });
});

function verdictOn(key: string) {
  return identifyApiKey(shared.db, readConfig(environment()).secrets.apiKeyPepper, key);
}

function keyIn(stdout: string): string {
  return /^Key +(postern_\S+)$/m.exec(stdout)?.[1] ?? "";
}
