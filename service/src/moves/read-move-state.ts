import { AppError } from "../errors.ts";
import { findIncomingMove } from "./incoming-move.ts";
import type { MoveContext } from "./move-context.ts";
import { findOutgoingMove, type OutgoingMove } from "./outgoing-move.ts";
import { readServer } from "./released-move.ts";

/**
 * What an earlier run has left. `interrupted`: the account is held in the source, and the target has not released it. `ending`: an undo was
 * interrupted. `lost`: the target released the account, perhaps, and a failover there lost it.
 */
export type MoveState =
  | { kind: "none" }
  | { kind: "copying" | "interrupted" | "frozen" | "ending" | "released" | "lost"; outgoing: OutgoingMove };

const kinds = { copying: "copying", held: "interrupted", unknown: "interrupted", frozen: "frozen" } as const;

/** The row of the target decides; that of the source says how far it got. */
export async function readMoveState({ source, target, account }: MoveContext): Promise<MoveState> {
  const outgoing = await findOutgoingMove(source.db, account.id);
  if (outgoing === undefined) return { kind: "none" };
  if (outgoing.targetCell !== target.code) {
    throw new AppError(
      "CONFLICT",
      `The account is moving to the cell ${outgoing.targetCell}. Run the command with the settings of that one.`,
    );
  }
  const incoming = await findIncomingMove(target.db, account.id);
  const isSame = incoming?.moveId === outgoing.moveId;
  if (isSame && incoming.state === "released") return { kind: "released", outgoing };
  if (outgoing.state === "released") throw lostRelease(target.code);
  const isSameServer = outgoing.releasingOn === null || outgoing.releasingOn === (await readServer(target.db));
  if (!isSameServer) return { kind: "lost", outgoing };
  if (isSame && incoming.state === "undone") return { kind: "ending", outgoing };
  if (!isSame && outgoing.state !== "copying") return { kind: "interrupted", outgoing };
  return { kind: kinds[outgoing.state], outgoing };
}

/** A failover to a standby that lacked the release. What the target sent since is not in its record either. */
export function lostRelease(code: string): AppError {
  return new AppError(
    "CONFLICT",
    `The cell ${code} released the account, and does not know it any more: a failover or restore there lost commits. Nothing of the account is ` +
      "sent until you decide. docs/runbook.md explains how.",
  );
}
