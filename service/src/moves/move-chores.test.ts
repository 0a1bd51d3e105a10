import { expect, test } from "vitest";
import { aFrozenMove, aHeldMove, aMove, suspendedAt } from "../../test/move-fixture.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createLog } from "../log.ts";
import { moveChores } from "./move-chores.ts";
import { findOutgoingMove } from "./outgoing-move.ts";

const database = useTestDatabase();
useEmptyQueue(database);

async function runChore(): Promise<unknown[]> {
  const lines: unknown[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line)) });
  for (const chore of moveChores({ db: database.db, log })) await chore.run();
  return lines;
}

/** Makes the hold of the account as old as that. */
const age = (accountId: string, seconds: number) =>
  database.db.withTransaction(async (tx) => {
    await tx.query({ name: "as-move", text: "select set_config('postern.moves_account', 'on', true)" });
    await tx.query({
      name: "age-hold",
      text: `
        with aged as (
          update outgoing_moves set held_at = held_at - make_interval(secs => $2) where account_id = $1 returning held_at
        )
        update accounts set suspended_at = aged.held_at from aged where id = $1`,
      values: [accountId, seconds],
    });
  });

test("an account whose command died during the hold works again after two minutes, and not before", async () => {
  const { db } = database;
  const [old, young] = [await aHeldMove(db), await aHeldMove(db)];
  await age(old.accountId, 125);
  await age(young.accountId, 100);
  expect(await runChore()).toMatchObject([{ event: "move.hold-ended", account_id: old.accountId }]);
  expect(await suspendedAt(db, old.accountId)).toBeNull();
  expect(await findOutgoingMove(db, old.accountId)).toMatchObject({ state: "copying", heldAt: null });
  expect(await suspendedAt(db, young.accountId)).not.toBeNull();
  expect(await runChore()).toEqual([]);
});

test("accounts in any other state, and those suspended for another reason, stay as they are", async () => {
  const { db } = database;
  const [frozen, copying, suspended] = [await aFrozenMove(db), await aMove(db), await aHeldMove(db)];
  await age(frozen.accountId, 1_000);
  await age(suspended.accountId, 1_000);
  await db.withTransaction(async (tx) => {
    await tx.query({ name: "as-move", text: "select set_config('postern.moves_account', 'on', true)" });
    await tx.query({
      name: "suspend-for-another-reason",
      text: "update accounts set suspended_at = now() where id = $1",
      values: [suspended.accountId],
    });
  });
  await runChore();
  expect(await findOutgoingMove(db, frozen.accountId)).toMatchObject({ state: "frozen" });
  expect(await suspendedAt(db, frozen.accountId)).not.toBeNull();
  expect(await findOutgoingMove(db, copying.accountId)).toMatchObject({ state: "copying" });
  expect(await suspendedAt(db, suspended.accountId)).not.toBeNull();
});

test("while the server run is unknown no hold ends", async () => {
  const { db } = database;
  const move = await aHeldMove(db);
  await age(move.accountId, 1_000);
  await change(db, "update provider_state set server_run = '1.5/5' where mode = 'live'");
  await runChore();
  expect(await findOutgoingMove(db, move.accountId)).toMatchObject({ state: "held" });
  await change(db, "update provider_state set server_run = server_run() where mode = 'live'");
  await runChore();
  expect(await findOutgoingMove(db, move.accountId)).toMatchObject({ state: "copying" });
});
