import { expect, test, vi } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { checkReadiness, shareForASecond } from "./readiness.ts";

const database = useTestDatabase();

test("a migrated database is ready", async () => {
  expect(await checkReadiness(database.db)).toEqual({ isReady: true, checks: { database: "ok", schema: "ok" } });
});

test("a database that lacks a migration is not ready, and says which one", async () => {
  await database.db.query({ name: "forget", text: "delete from schema_migrations where name = '0003_api_keys'" });
  const { isReady, checks } = await checkReadiness(database.db);
  await database.db.query({
    name: "remember",
    text: "insert into schema_migrations (name, run_on) values ('0003_api_keys', now())",
  });
  expect(isReady).toBe(false);
  expect(checks.schema).toEqual({ missing: ["0003_api_keys"] });
});

test("an absent database is not ready", async () => {
  const gone = { query: () => Promise.reject(new AppError("UNAVAILABLE", "gone")) };
  expect(await checkReadiness(gone)).toEqual({
    isReady: false,
    checks: { database: "unreachable", schema: "unknown" },
  });
});

test("a burst of probes costs one look, and a second later there is another", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let looks = 0;
  const look = shareForASecond(async () => ++looks);
  expect(await Promise.all([look(), look(), look()])).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(1001);
  expect(await look()).toBe(2);
  vi.useRealTimers();
});
