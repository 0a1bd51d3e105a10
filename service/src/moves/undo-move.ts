import { AppError } from "../errors.ts";
import { findIncomingMove, forgetIncoming, markUndone, purgeIncoming } from "./incoming-move.ts";
import type { MoveContext } from "./move-context.ts";
import { forgetOutgoing } from "./outgoing-move.ts";
import { putBack } from "./put-back.ts";
import { readMoveState } from "./read-move-state.ts";
import { relayFeedback } from "./relay-feedback.ts";

/**
 * Ends the move before its release. From `undone` on the target can never release the account, so the source lets it work at once; the copy in the
 * target is deleted afterwards.
 */
export async function undoMove(context: MoveContext): Promise<void> {
  const { source, target, account, say, onRows } = context;
  const state = await readMoveState(context);
  if (state.kind === "none") return endOrphan(context);
  const move = state.outgoing;
  const answer = state.kind === "released" ? "released" : await markUndone(target.db, move);
  if (answer === "released") {
    throw new AppError(
      "CONFLICT",
      `${account.name} lives in the cell ${target.code}. To move it back, exchange the two cells.`,
    );
  }
  await putBack(source.db, move);
  say(`${account.name} works in the cell ${source.code}.`);
  await relayFeedback(source.db, source.db, account.id);
  if (answer === "undone") {
    say("Deleting the copy in the target.");
    await purgeIncoming(target.db, move, (_table, rows) => onRows(rows));
  }
  // The target first: without the row of the source, nobody would know the id of the move any more.
  await forgetIncoming(target.db, move);
  await forgetOutgoing(source.db, move);
}

/** The source knows nothing of the move: it was restored to a time before, or a run slept while another one undid the move. */
async function endOrphan({ source, target, account, say, onRows }: MoveContext): Promise<void> {
  const incoming = await findIncomingMove(target.db, account.id);
  if (incoming === undefined || incoming.sourceCell !== source.code || incoming.state === "released") {
    throw new AppError("NOT_FOUND", `${account.name} is not moving.`);
  }
  await markUndone(target.db, incoming);
  say("Deleting the copy in the target.");
  await purgeIncoming(target.db, incoming, (_table, rows) => onRows(rows));
  await forgetIncoming(target.db, incoming);
}
