import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { createRefusalCounts } from "./count-refusals.ts";

const database = useTestDatabase();

function storedOf(accountId: string) {
  const text = "select api_key_id, code, count from usage_refusals where account_id = $1 order by code";
  return change(database.db, text, [accountId]);
}

test("refusals that could not be stored are stored with the next ones", async () => {
  const accountId = await anAccount(database.db);
  let isDown = true;
  const db: Queryable = {
    query: (statement) => (isDown ? Promise.reject(new Error("down")) : database.db.query(statement)),
  };
  const refusals = createRefusalCounts(db);
  const apiKeyId = randomUUID();
  for (let time = 0; time < 3; time++) refusals.count({ accountId, apiKeyId, code: "VALIDATION_ERROR" });
  await expect(refusals.flush()).rejects.toThrow("down");
  refusals.count({ accountId, apiKeyId, code: "VALIDATION_ERROR" });
  refusals.count({ accountId, apiKeyId, code: "RATE_LIMIT_EXCEEDED" });
  isDown = false;
  await refusals.flush();
  await refusals.flush();
  expect(await storedOf(accountId)).toEqual([
    { api_key_id: apiKeyId, code: "RATE_LIMIT_EXCEEDED", count: 1 },
    { api_key_id: apiKeyId, code: "VALIDATION_ERROR", count: 4 },
  ]);
});

test("a refusal counts in its own hour, also when it is stored later", async () => {
  const accountId = await anAccount(database.db);
  const refusals = createRefusalCounts(database.db);
  const refusal = { accountId, apiKeyId: randomUUID(), code: "VALIDATION_ERROR" };
  const clock = vi.spyOn(Date, "now").mockReturnValueOnce(Date.parse("2026-11-01T09:59:59.999Z"));
  clock.mockReturnValueOnce(Date.parse("2026-11-01T10:00:00Z"));
  try {
    for (let time = 0; time < 2; time++) refusals.count(refusal);
  } finally {
    clock.mockRestore();
  }
  await refusals.flush();
  const hours = "select hour, count from usage_refusals where account_id = $1 order by hour";
  expect(await change(database.db, hours, [accountId])).toEqual([
    { hour: "2026-11-01T09:00:00.000Z", count: 1 },
    { hour: "2026-11-01T10:00:00.000Z", count: 1 },
  ]);
});

test("a process remembers refusals of at most 10,000 keys, codes and hours", async () => {
  const accountId = await anAccount(database.db);
  const refusals = createRefusalCounts(database.db);
  for (let key = 0; key < 10_010; key++) refusals.count({ accountId, apiKeyId: randomUUID(), code: "UNAUTHORIZED" });
  await refusals.flush();
  expect(await storedOf(accountId)).toHaveLength(10_000);
});
