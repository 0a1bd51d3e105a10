import type { MoveContext } from "./move-context.ts";
import type { MoveKey } from "./outgoing-move.ts";
import { type RelayedFeedback, relayFeedback } from "./relay-feedback.ts";
import { markReleased } from "./released-move.ts";

export interface FinishedMove {
  /** From the hold to the release; undefined when another run held the account. */
  heldSeconds?: number;
  relayed: RelayedFeedback;
}

/** Everything after the release. It can be repeated for as long as SES reports about mail that the source submitted. */
export async function finishMove(
  { source, target, account, say }: MoveContext,
  move: MoveKey,
  onRelease: () => Promise<void>,
): Promise<FinishedMove> {
  say(`${account.name} lives in the cell ${target.code} now.`);
  await markReleased(source.db, move);
  await onRelease();
  return { relayed: await relayFeedback(source.db, target.db, account.id) };
}
