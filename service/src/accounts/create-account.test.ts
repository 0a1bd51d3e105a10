import { expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { findAccount } from "./account-store.ts";
import { createAccount } from "./create-account.ts";
import { setLimits } from "./limit-store.ts";
import { isPassword } from "./password.ts";
import { findUserByEmail } from "./user-store.ts";

const database = useTestDatabase();

test("a new account has a user whose generated password logs in and is stored only as a hash", async () => {
  const { accountId, password } = await createAccount(database.db, "Acme", "Ada@Example.com");
  const user = await findUserByEmail(database.db, "ada@example.COM");
  expect(user?.accountId).toBe(accountId);
  expect(user?.passwordHash).not.toContain(password);
  expect(await isPassword(password, user?.passwordHash ?? "")).toBe(true);
});

test("a new account has the published limits", async () => {
  const { accountId } = await createAccount(database.db, "Limits", "limits@example.com");
  expect(await findAccount(database.db.forAccount(accountId))).toMatchObject({
    perSecond: 3,
    per10Seconds: 20,
    perMinute: 100,
  });
});

test("of two accounts created concurrently with one email exactly one is stored, and the other leaves no rows", async () => {
  const race = ["one", "two"].map((name) => createAccount(database.db, name, "race@example.com"));
  const results = await Promise.allSettled(race);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const [row] = await database.db.query<{ count: number }>({
    name: "count-raced",
    text: "select count(*) from accounts where name in ('one', 'two')",
  });
  expect(row?.count).toBe(1);
});

test.for([
  ["", "a@example.com"],
  ["   ", "a@example.com"],
  ["a\u0000b", "a@example.com"],
  ["Acme", "no-at-sign"],
  ["Acme", "two words@example.com"],
  ["Acme", `${"x".repeat(255)}@example.com`],
] as const)("name %j with email %j is refused as a validation error", async ([name, email]) => {
  await expect(createAccount(database.db, name, email)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});

test("the database refuses a limit below one", async () => {
  const { accountId } = await createAccount(database.db, "Zero", "zero@example.com");
  await expect(setLimits(database.db, accountId, { perMinute: 0 })).rejects.toThrow("accounts_limits_positive");
});
