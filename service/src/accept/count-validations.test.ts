import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createValidationCount } from "./count-validations.ts";

const database = useTestDatabase();

test("the limits hold for all processes together, and each request sees what remains after it", async () => {
  const accountId = await anAccount(database.db);
  const processes = [createValidationCount(database.db), createValidationCount(database.db)];
  // The window of a minute, which does not end during the test.
  await setLimits(accountId, [100, 100, 8]);
  const counts = await Promise.all(
    processes.flatMap((count) => Array.from({ length: 10 }, () => count({ accountId, mode: "live" }))),
  );
  const admitted = counts.filter(({ retryMs }) => retryMs === undefined);
  expect(new Set(admitted.map(({ usage }) => usage.remaining[2]))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
  expect(admitted).toHaveLength(8);
  const refused = counts.find(({ retryMs }) => retryMs !== undefined);
  expect(refused?.usage).toMatchObject({ limits: [100, 100, 8] });
  expect(refused?.retryMs).toBeGreaterThan(30_000);
});

test("live and test mode, and different accounts, are counted separately in one batch", async () => {
  const [one, other] = [await anAccount(database.db), await anAccount(database.db)];
  for (const accountId of [one, other]) await setLimits(accountId, [100, 100, 1]);
  const count = createValidationCount(database.db);
  const requests = [
    { accountId: one, mode: "live" as const },
    { accountId: other, mode: "live" as const },
    { accountId: one, mode: "test" as const },
    { accountId: one, mode: "live" as const },
  ];
  const counts = await Promise.all(requests.map((request) => count(request)));
  expect(counts.map(({ retryMs }) => retryMs === undefined)).toEqual([true, true, true, false]);
});

test("a refused account is refused from memory until its window has room", async () => {
  const accountId = await anAccount(database.db);
  await setLimits(accountId, [100, 100, 1]);
  const count = createValidationCount(database.db);
  await count({ accountId, mode: "live" });
  await count({ accountId, mode: "live" });
  await setLimits(accountId, [100, 100, 100]);
  expect((await count({ accountId, mode: "live" })).retryMs).toBeGreaterThan(0);
  expect((await createValidationCount(database.db)({ accountId, mode: "live" })).retryMs).toBeUndefined();
});

function setLimits(accountId: string, limits: [number, number, number]) {
  return database.db.query({
    name: "set-validation-limits",
    text: `
      update accounts
      set limit_per_second = $2, limit_per_10_seconds = $3, limit_per_minute = $4
      where id = $1`,
    values: [accountId, ...limits],
  });
}
