import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { requireDomainChange } from "./limit-domain-changes.ts";

const database = useTestDatabase();

test("of many changes at once as many as in two minutes are admitted, and one more after each refill", async () => {
  const accountId = await anAccount(database.db);
  expect(await admittedOf(accountId, 40)).toBe(20);
  await letPass(accountId, 5.5);
  expect(await admittedOf(accountId, 5)).toBeLessThanOrEqual(1);
  await letPass(accountId, 60);
  const admitted = await admittedOf(accountId, 40);
  expect(admitted).toBeGreaterThanOrEqual(10);
  expect(admitted).toBeLessThanOrEqual(12);
});

test("a refused change gets the seconds until the next refill", async () => {
  const accountId = await anAccount(database.db);
  await admittedOf(accountId, 20);
  const refusal = await requireDomainChange(database.db.forAccount(accountId)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: expect.any(Number) });
  expect(refusal).toHaveProperty("message", expect.stringMatching(/Try again in [1-6] seconds\.$/));
});

test("a database clock that was set back an hour does not block an account for an hour", async () => {
  const accountId = await anAccount(database.db);
  await admittedOf(accountId, 20);
  await letPass(accountId, -3600);
  expect(await admittedOf(accountId, 1)).toBe(1);
});

async function admittedOf(accountId: string, count: number): Promise<number> {
  const db = database.db.forAccount(accountId);
  const results = await Promise.allSettled(Array.from({ length: count }, () => requireDomainChange(db)));
  return results.filter(({ status }) => status === "fulfilled").length;
}

async function letPass(accountId: string, seconds: number): Promise<void> {
  await database.db.query({
    name: "let-pass",
    text: "update accounts set domain_changes_at = domain_changes_at - make_interval(secs => $2) where id = $1",
    values: [accountId, seconds],
  });
}
