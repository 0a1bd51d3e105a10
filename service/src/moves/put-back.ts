import type { Database, Transaction } from "../db/database.ts";
import { actAsMove, findOutgoingMove, type MoveKey, type OutgoingState, unexpectedState } from "./outgoing-move.ts";
import { returnRows } from "./return-rows.ts";

/**
 * held, frozen, unknown → copying, in the source: the rows return to their queues in steps, and a last commit lets the account work again. Only when the
 * target does not have the account, and never will by this move: its row is `undone`, or the command holds it back from a release. The account stays suspended until the
 * end, so a run that was interrupted is continued. Feedback is applied here again from that commit on; then apply `moved_feedback`
 * and call `forgetOutgoing`, if the move ends here.
 */
export async function putBack(db: Database, move: MoveKey): Promise<void> {
  for (let isDone = false; !isDone; ) {
    isDone = await db.withTransaction(async (tx) => {
      await actAsMove(tx);
      const state = await lockMove(tx, move);
      if (state === "copying") return true;
      if (state === "released") throw unexpectedState(await findOutgoingMove(tx, move.accountId), move);
      if ((await returnRows(tx, move.accountId, state === "unknown")) > 0) return false;
      await resume(tx, move.accountId);
      return true;
    });
  }
}

async function lockMove(tx: Transaction, { accountId, moveId }: MoveKey): Promise<OutgoingState> {
  const [row] = await tx.query<{ state: OutgoingState }>({
    name: "lock-outgoing-move",
    text: "select state from outgoing_moves where account_id = $1 and move_id = $2 for update",
    values: [accountId, moveId],
  });
  if (row === undefined) throw unexpectedState(undefined, { accountId, moveId });
  return row.state;
}

/** An account that is suspended for another reason stays suspended. */
async function resume(tx: Transaction, accountId: string): Promise<void> {
  await tx.query({
    name: "resume-moving-account",
    text: `
      with move as materialized (
        select account_id, held_at
        from outgoing_moves
        where account_id = $1
      ), resumed as (
        update accounts
        set suspended_at = null
        from move
        where accounts.id = move.account_id
          and accounts.suspended_at = move.held_at
          and not exists (select from account_deletions d where d.account_id = accounts.id and d.finished_at is null)
      )
      update outgoing_moves
      set state = 'copying', held_at = null, frozen_at = null, releasing_on = null
      where account_id = $1`,
    values: [accountId],
  });
}
