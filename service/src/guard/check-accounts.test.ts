import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { auditRows } from "../../test/audit-rows.ts";
import { anAccount } from "../../test/builders.ts";
import { addGuardCounts } from "../../test/guard-counts.ts";
import { anIncomingMove, anOutgoingMove, noMove } from "../../test/move-builders.ts";
import { change } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdAccount, releaseAccount } from "../accounts/account-store.ts";
import { commandLineActor } from "../actor.ts";
import { checkAccounts } from "./check-accounts.ts";
import { dropOldGuardCounts, findGuardState, releaseFromGuard, switchGuard } from "./guard-store.ts";

const database = useTestDatabase();
let accountId = "";

beforeEach(async () => {
  accountId = await anAccount(database.db);
});

describe("an account is held", () => {
  test("when more than 10 % of at least 200 recipients bounced permanently", async () => {
    await add({ outcomes: 200, hardBounces: 24 });
    expect(await check()).toEqual([
      { accountId, reason: expect.stringMatching(/^24 of 200 recipients \(12\.0 %\) bounced/) },
    ]);
    expect(await state()).toMatchObject({ heldAt: expect.any(String), reason: expect.stringContaining("24 of 200") });
  });

  test("when more than 0.5 % of them complained, and at least five did", async () => {
    await add({ outcomes: 900, complaints: 5 });
    expect(await check()).toEqual([
      { accountId, reason: expect.stringMatching(/^5 of 900 recipients \(0\.56 %\) reported/) },
    ]);
  });

  test("when the sum of several days is above the line, although no day is", async () => {
    for (const daysAgo of [0, 1, 6]) await add({ outcomes: 90, hardBounces: 10, daysAgo });
    expect(await check()).toHaveLength(1);
  });
});

test.for(["held", "frozen", "released", "unknown", "incoming"] as const)(
  "an account whose move is %s is not held here, and its counts are checked after it; others are meanwhile",
  async (move) => {
    const other = await anAccount(database.db);
    if (move === "incoming") await anIncomingMove(database.db, accountId, "copying");
    else await anOutgoingMove(database.db, accountId, move);
    for (const id of [accountId, other]) await addGuardCounts(database.db, id, { outcomes: 200, hardBounces: 24 });
    expect(await check()).toMatchObject([{ accountId: other }]);
    expect(await state()).toMatchObject({ heldAt: null });
    expect((await auditRows(database.db, accountId)).map(({ action }) => action)).not.toContain("account.guard-hold");
    await noMove(database.db, accountId);
    expect(await check()).toMatchObject([{ accountId }]);
  },
);

test("hold, release and switch of the guard have one entry each in the audit; the hold is by the system", async () => {
  await add({ outcomes: 200, hardBounces: 24 });
  await check();
  await check();
  await releaseFromGuard(database.db, accountId, commandLineActor());
  for (let times = 0; times < 2; times++) await switchGuard(database.db, accountId, true, commandLineActor());
  const rows = await auditRows(database.db, accountId);
  expect(rows.slice(1).map((row) => `${row.actor_kind} ${row.action}`)).toEqual([
    "system account.guard-hold",
    "command-line account.guard-release",
    "command-line account.guard-change",
  ]);
  expect(rows[1]).toMatchObject({ after: { reason: expect.stringContaining("24 of 200") } });
});

describe("an account is not held", () => {
  test.for([
    ["by one complaint in 200", { outcomes: 200, complaints: 1 }],
    ["by four complaints", { outcomes: 200, complaints: 4 }],
    ["by 19 hard bounces among 180 outcomes", { outcomes: 180, hardBounces: 19 }],
    ["by 100 hard bounces below 200 outcomes", { outcomes: 199, hardBounces: 100 }],
    ["by exactly 10 %", { outcomes: 300, hardBounces: 30 }],
    ["by exactly 0.5 % complaints", { outcomes: 2_000, complaints: 10 }],
  ] as const)("%s", async ([, counts]) => {
    await add(counts);
    expect(await check()).toEqual([]);
  });

  test("by outcomes of more than seven days ago", async () => {
    await add({ outcomes: 400, hardBounces: 100, daysAgo: 7 });
    await add({ outcomes: 10 });
    expect(await check()).toEqual([]);
  });

  test("by counts of an earlier epoch, which a late fold wrote after the release", async () => {
    await releaseFromGuard(database.db, accountId);
    await add({ outcomes: 400, hardBounces: 100, epoch: 0 });
    expect(await check()).toEqual([]);
    expect(await state()).toMatchObject({ outcomes: 0, hardBounces: 0 });
  });

  test("while the guard is off for it; switched on, the guard uses what was counted meanwhile", async () => {
    await switchGuard(database.db, accountId, true);
    await add({ outcomes: 400, hardBounces: 100 });
    expect(await check()).toEqual([]);
    await switchGuard(database.db, accountId, false);
    expect(await check()).toHaveLength(1);
  });
});

test("a released account is held again only by new outcomes", async () => {
  await add({ outcomes: 400, hardBounces: 100 });
  await check();
  expect(await releaseFromGuard(database.db, accountId)).toEqual({ heldSeconds: expect.any(Number) });
  expect(await check()).toEqual([]);
  expect(await state()).toMatchObject({ heldAt: null, reason: null, outcomes: 0, releasedAt: expect.any(String) });
  await add({ outcomes: 199, hardBounces: 100 });
  expect(await check()).toEqual([]);
  await add({ outcomes: 1 });
  expect(await check()).toHaveLength(1);
});

test("the holds of the operator and of the guard never end each other", async () => {
  await holdAccount(database.db, accountId, "mine");
  await add({ outcomes: 400, hardBounces: 100 });
  await check();
  await releaseAccount(database.db, accountId);
  expect(await state()).toMatchObject({ heldAt: expect.any(String) });
  await holdAccount(database.db, accountId, "mine");
  await releaseFromGuard(database.db, accountId);
  const [row] = await change(
    database.db,
    "select hold_note, guard_held_at from accounts where id = $1 and held_at is not null",
    [accountId],
  );
  expect(row).toEqual({ hold_note: "mine", guard_held_at: null });
});

test("eight workers hold each of 50 accounts once, and no other account", async () => {
  const [bad, good] = [await accounts(50), await accounts(50)];
  for (const id of bad) await addGuardCounts(database.db, id, { outcomes: 300, hardBounces: 60 });
  for (const id of good) await addGuardCounts(database.db, id, { outcomes: 300, hardBounces: 6 });
  const dbs = Array.from({ length: 8 }, () => openTestDatabase(database.url));
  onTestFinished(async () => void (await Promise.all(dbs.map((db) => db.close()))));
  const holds = await Promise.all(dbs.map((db) => checkAccounts(db, { maxCounts: 1_000 })));
  // A worker skips what another one has locked; the next run finds it.
  const held = [...holds.flatMap((each) => each.held), ...(await check())].map((hold) => hold.accountId);
  expect(held.toSorted()).toEqual(bad.toSorted());
});

test("counts are checked once, and again when they grow", async () => {
  await add({ outcomes: 400 });
  await check();
  expect(await unchecked()).toBe(0);
  await add({ complaints: 1 });
  expect(await unchecked()).toBe(1);
});

test("a check that is undone leaves the account to the next check", async () => {
  await add({ outcomes: 400, hardBounces: 100 });
  const undone = database.db.withTransaction(async (tx) => {
    expect((await checkAccounts(tx, { maxCounts: 1_000 })).held).toHaveLength(1);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await state()).toMatchObject({ heldAt: null });
  expect(await check()).toHaveLength(1);
});

test("a check waits for no lock, and the next one finds what was locked", async () => {
  await add({ outcomes: 400, hardBounces: 100 });
  await database.db.withTransaction(async (tx) => {
    await tx.query({
      name: "lock-account",
      text: "select from accounts where id = $1 for update",
      values: [accountId],
    });
    expect(await check()).toEqual([]);
  });
  await database.db.withTransaction(async (tx) => {
    await tx.query({
      name: "lock-counts",
      text: "select from guard_counts where account_id = $1 for update",
      values: [accountId],
    });
    expect(await check()).toHaveLength(1);
    expect(await unchecked()).toBe(1);
  });
  expect(await check()).toEqual([]);
  expect(await unchecked()).toBe(0);
});

test("a round in small steps reaches every account", async () => {
  const bad = await accounts(7);
  for (const id of bad) await addGuardCounts(database.db, id, { outcomes: 300, hardBounces: 60 });
  const held: string[] = [];
  for (let after: string | undefined, steps = 0; steps < 10; steps++) {
    const step = await checkAccounts(database.db, { ...(after && { after }), maxCounts: 2 });
    held.push(...step.held.map((hold) => hold.accountId));
    after = step.lastAccountId;
    if (after === undefined) break;
  }
  expect(held.toSorted()).toEqual(bad.toSorted());
});

test("counts are deleted when their day has left the window", async () => {
  await add({ outcomes: 1, daysAgo: 6 });
  await add({ outcomes: 1, daysAgo: 8 });
  expect(await dropOldGuardCounts(database.db, 100)).toBe(1);
  expect(await state()).toMatchObject({ outcomes: 1 });
});

const add = (counts: Parameters<typeof addGuardCounts>[2]) => addGuardCounts(database.db, accountId, counts);
const check = async () => (await checkAccounts(database.db, { maxCounts: 1_000 })).held;
const state = () => findGuardState(database.db, accountId);

async function unchecked(): Promise<number> {
  const rows = await change(
    database.db,
    "select from guard_counts where account_id = $1 and checked <> outcomes + complaints",
    [accountId],
  );
  return rows.length;
}

function accounts(count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => anAccount(database.db)));
}
