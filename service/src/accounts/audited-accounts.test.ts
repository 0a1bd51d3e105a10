import { expect, test } from "vitest";
import { auditRows } from "../../test/audit-rows.ts";
import { aUser } from "../../test/builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { commandLineActor } from "../actor.ts";
import { holdAccount, releaseAccount, resumeAccount, suspendAccount } from "./account-store.ts";
import { createAccount } from "./create-account.ts";
import { setLimits } from "./limit-store.ts";
import { setQuotas } from "./quota-store.ts";

const database = useTestDatabase();
const actor = commandLineActor();

test("what the operator does to an account has one entry each, and none when nothing changes", async () => {
  const { db } = database;
  const email = `${Date.now()}@example.com`;
  const { accountId } = await createAccount(db, "Acme", email, { actor });
  const mode = "live" as const;
  for (let times = 0; times < 2; times++) {
    await suspendAccount(db, accountId, actor);
    await setLimits(db, accountId, { perSecond: 7 }, actor);
    await setQuotas(db, { accountId, mode }, { recipientsPerDay: 5 }, actor);
  }
  for (let times = 0; times < 2; times++) await resumeAccount(db, accountId, actor);
  await holdAccount(db, accountId, "a note that customers do not see", actor);
  for (let times = 0; times < 2; times++) await releaseAccount(db, accountId, actor);
  const rows = await auditRows(db, accountId);
  expect(rows.map(({ action }) => action)).toEqual([
    "account.create",
    "account.suspend",
    "account.limits-change",
    "account.quotas-change",
    "account.resume",
    "account.hold",
    "account.release",
  ]);
  expect(new Set(rows.map((row) => `${row.actor_kind} ${row.actor_name} ${row.target_name}`))).toEqual(
    new Set([`command-line ${actor.name} Acme`]),
  );
  expect(rows[2]).toMatchObject({ before: { limit_per_second: expect.any(Number) }, after: { limit_per_second: 7 } });
  expect(rows[3]).toMatchObject({ before: { mode, recipients_per_day: null }, after: { mode, recipients_per_day: 5 } });
  expect(JSON.stringify(rows)).not.toContain("a note");
});

test("an action that is rolled back leaves no entry", async () => {
  const { accountId } = await aUser(database.db);
  const undo = new Error("undo");
  const undone = database.db.withTransaction(async (tx) => {
    await suspendAccount(tx, accountId, actor);
    throw undo;
  });
  await expect(undone).rejects.toBe(undo);
  expect(await auditRows(database.db, accountId, "account.suspend")).toEqual([]);
});
