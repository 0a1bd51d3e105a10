import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { turnTotpOn } from "../../../test/operator-login.ts";
import { runPostern } from "../../../test/run-postern.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { listOperators, setOperator } from "../../accounts/operator-store.ts";
import { addUser } from "../../oidc/identity-store.ts";

const shared = useTestDatabase();
const admin = (...args: string[]) => runPostern(["admin", ...args], { DATABASE_URL: shared.url });

test("set-operator gives and takes the flag of one user, and list-operators shows it", async () => {
  const [{ id, email }, other] = [await aUser(shared.db), await aUser(shared.db)];
  const list = async () => (await admin("list-operators")).stdout;
  expect(await list()).toContain("There is no operator");
  await turnTotpOn(shared.db, id);
  const given = await admin("set-operator", "--email", email.toUpperCase());
  expect([given.code, given.stdout]).toEqual([0, expect.stringContaining("is an operator now")]);
  expect(await list()).toMatch(new RegExp(` on +${email}\\n$`));
  expect(await list()).not.toContain(other.email);
  const taken = await admin("set-operator", "--email", email, "--off");
  expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining("no longer an operator")]);
  expect(await listOperators(shared.db)).toEqual([]);
});

test("set-operator refuses a user without two-factor authentication and says what to do first", async () => {
  const { email } = await aUser(shared.db);
  const { code, stderr } = await admin("set-operator", "--email", email);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/no two-factor authentication[\s\S]*POST \/api\/v1\/auth\/totp/),
  ]);
  expect(await listOperators(shared.db)).toEqual([]);
});

test("set-operator refuses a user who logs in by OIDC, also with two-factor authentication, and names the other way", async () => {
  const id = randomUUIDv7();
  await shared.db.withTransaction((tx) => addUser(tx, { issuer: "https://issuer.test", subject: id }, id));
  await turnTotpOn(shared.db, id);
  const { code, stderr } = await admin("set-operator", "--email", `${id}@oidc.invalid`);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/logs in by OIDC[\s\S]*another address/)]);
  expect(await listOperators(shared.db)).toEqual([]);
});

test("list-operators shows who has set up two-factor authentication anew, and set-operator gives the right again", async () => {
  const { id, email } = await aUser(shared.db);
  await turnTotpOn(shared.db, id);
  const give = async () => (await admin("set-operator", "--email", email)).stdout;
  expect([await give(), await give()]).toEqual([
    expect.stringContaining("is an operator now"),
    expect.stringContaining("was already an operator"),
  ]);
  await change(shared.db, "update users set totp_enabled_at = clock_timestamp() where id = $1", [id]);
  expect((await admin("list-operators")).stdout).toMatch(new RegExp(` anew +${email}\\n$`));
  expect(await give()).toContain("is an operator now");
  expect((await listOperators(shared.db)).map(({ totp }) => totp)).toEqual(["on"]);
  await setOperator(shared.db, email, false);
});

test("set-operator names an unknown user, and changes nothing", async () => {
  const { code, stderr } = await admin("set-operator", "--email", "nobody@shop.test");
  expect([code, stderr]).toEqual([1, expect.stringContaining("no user with the email nobody@shop.test")]);
  expect(await listOperators(shared.db)).toEqual([]);
});
