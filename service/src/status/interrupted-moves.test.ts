import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { newHome } from "../../test/move-builders.ts";
import { moveIn, moveOut } from "../../test/moving-account.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { readCellState } from "./cell-state.ts";
import { findProblems } from "./find-problems.ts";
import { listInterruptedMoves } from "./interrupted-moves.ts";

const database = useTestDatabase();

async function found(accountId: string) {
  const { moves } = await listInterruptedMoves(database.db);
  return moves.find(({ id }) => id === accountId)?.kind;
}

async function aReport(accountId: string, minutesAgo: number): Promise<void> {
  const insert = `
    insert into moved_feedback (account_id, feedback, stored_at) values ($1, '{}', now() - make_interval(mins => $2))`;
  await change(database.db, insert, [accountId, minutesAgo]);
}

test("a hold is reported after two minutes, a frozen or unknown move after five", async () => {
  const accountId = await anAccount(database.db);
  for (const [state, soon, late] of [
    ["held", 110, 130],
    ["frozen", 290, 310],
    ["unknown", 290, 310],
  ] as const) {
    await moveOut(database.db, accountId, state, soon);
    expect(await found(accountId)).toBeUndefined();
    await moveOut(database.db, accountId, state, late);
    expect(await found(accountId)).toBe("stopped");
  }
  for (const state of ["copying", "released"] as const) {
    await moveOut(database.db, accountId, state, 10_000);
    expect(await found(accountId)).toBeUndefined();
  }
});

test("reports of an account that has moved are reported when the oldest has waited for an hour", async () => {
  const accountId = await anAccount(database.db);
  await moveOut(database.db, accountId, "released", 10_000);
  await aReport(accountId, 50);
  expect(await found(accountId)).toBeUndefined();
  await change(database.db, "delete from moved_feedback");
  await aReport(accountId, 70);
  await aReport(accountId, 1);
  expect(await found(accountId)).toBe("late-reports");
  await moveOut(database.db, accountId, "frozen", 10);
  expect(await found(accountId)).toBeUndefined();
});

test("an undone move is reported in the target while its copy is there", async () => {
  const accountId = await anAccount(database.db);
  await moveIn(database.db, accountId, "undone");
  expect(await found(accountId)).toBeUndefined();
  await change(database.db, "update incoming_moves set ended_at = now() - interval '6 min' where account_id = $1", [
    accountId,
  ]);
  expect(await found(accountId)).toBe("undone");
});

test("a move that was prepared is named after three days, because it stops the deletion of old data", async () => {
  const accountId = await anAccount(database.db);
  await moveIn(database.db, accountId, "copying");
  expect(await found(accountId)).toBeUndefined();
  await change(
    database.db,
    "update incoming_moves set started_at = now() - interval '73 hours' where account_id = $1",
    [accountId],
  );
  expect(await found(accountId)).toBe("prepared");
});

test("status names the account and the command, also when the account is not there any more", async () => {
  const accountId = await anAccount(database.db, { name: "Interrupted" });
  await moveOut(database.db, accountId, "frozen", 720);
  const gone = crypto.randomUUID();
  await moveOut(database.db, gone, "unknown", 720);
  const problems = findProblems(
    await readCellState(database.db, { feedbackGapSeconds: 60, hasFeedbackQueue: false }, 10),
  );
  const moves = problems.filter(({ runbook }) => runbook === "an-account-moves");
  expect(moves.find((problem) => problem.accountId === accountId)).toEqual({
    what: `The move of the account Interrupted to ${newHome} was interrupted 12 min ago: this cell sends nothing of the account.`,
    advice: `Run \`postern admin move-account ${accountId} --from FILE --switch\` with the settings of the target, or with \`--undo\` instead of \`--switch\`.`,
    runbook: "an-account-moves",
    accountId,
    stopsMail: true,
  });
  expect(moves.find((problem) => problem.accountId === gone)?.what).toContain(gone);
});

test("ten moves are listed and the others counted", async () => {
  for (let count = 0; count < 12; count++) await moveOut(database.db, crypto.randomUUID(), "frozen", 10_000);
  const { moves, total } = await listInterruptedMoves(database.db);
  expect(moves).toHaveLength(10);
  expect(total).toBeGreaterThanOrEqual(12);
});
