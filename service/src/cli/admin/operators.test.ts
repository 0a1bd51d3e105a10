import { expect, test } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { runPostern } from "../../../test/run-postern.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { listOperators } from "../../accounts/operator-store.ts";

const shared = useTestDatabase();
const admin = (...args: string[]) => runPostern(["admin", ...args], { DATABASE_URL: shared.url });

test("set-operator gives and takes the flag of one user, and list-operators shows it", async () => {
  const [{ email }, other] = [await aUser(shared.db), await aUser(shared.db)];
  const list = async () => (await admin("list-operators")).stdout;
  expect(await list()).toContain("There is no operator");
  const given = await admin("set-operator", "--email", email.toUpperCase());
  expect([given.code, given.stdout]).toEqual([0, expect.stringMatching(/is an operator now[\s\S]*no two-factor/)]);
  expect(await list()).toMatch(new RegExp(` off +${email}\\n$`));
  expect(await list()).not.toContain(other.email);
  const taken = await admin("set-operator", "--email", email, "--off");
  expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining("no longer an operator")]);
  expect(await listOperators(shared.db)).toEqual([]);
});

test("set-operator names an unknown user, and changes nothing", async () => {
  const { code, stderr } = await admin("set-operator", "--email", "nobody@shop.test");
  expect([code, stderr]).toEqual([1, expect.stringContaining("no user with the email nobody@shop.test")]);
  expect(await listOperators(shared.db)).toEqual([]);
});
