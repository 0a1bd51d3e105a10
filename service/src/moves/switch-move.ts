import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../errors.ts";
import { copyUntilLittleIsLeft, lastCopy } from "./copy-account.ts";
import { copyQueue } from "./copy-queue.ts";
import type { Horizon } from "./copy-records/horizon.ts";
import { type FinishedMove, finishMove } from "./finish-move.ts";
import { freeze, takeLateRows } from "./freeze.ts";
import { release, takeOver } from "./incoming-move.ts";
import type { MoveContext } from "./move-context.ts";
import { listUnreadyDomains, type UnreadyDomain } from "./move-domains.ts";
import { endHold, type Hold, holdForMove, type MoveKey, ownTransaction } from "./outgoing-move.ts";
import { afterFailover, prepareMove } from "./prepare-move.ts";
import { putBack } from "./put-back.ts";
import { lostRelease, type MoveState, readMoveState } from "./read-move-state.ts";
import { noteRelease } from "./released-move.ts";
import { requireSnapshotsEnded } from "./require-snapshots-ended.ts";

/** How long the account may wait until nothing of it is on its way. A submission takes longer only when SES hangs. */
const drainMs = 15_000;
const lookEveryMs = 100;

/**
 * Moves the account, or continues the move that a command began which ended early. `onRelease` runs as soon as the account lives in the target.
 *
 * The row in the target decides. A failure before `frozen` lets the account work in the source again at once; after it, the account waits for the next run,
 * or for `--undo`. After the release each step can be repeated, and there is no way back.
 */
export async function switchMove(context: MoveContext, onRelease: () => Promise<void>): Promise<FinishedMove> {
  const state = await readMoveState(context);
  if (state.kind === "released") return finishMove(context, state.outgoing, onRelease);
  if (state.kind === "ending")
    throw new AppError("CONFLICT", "An undo of the move was interrupted. Run the command again with --undo.");
  if (state.kind !== "none" && state.outgoing.state === "unknown") throw afterFailover(context.account.name);
  if (state.kind === "lost") throw lostRelease(context.target.code);
  if (state.kind !== "none") await takeOver(context.target.db, { ...state.outgoing, runId: context.runId });
  const startedAt = performance.now();
  const {
    move,
    since,
    heldMs = startedAt,
  } = state.kind === "frozen" ? { move: state.outgoing } : await copyAndFreeze(context, state);
  context.say("Nothing changes the account any more. Copying the rest.");
  await takeAllLateRows(context, move);
  await lastCopy(context, move, since);
  await copyQueue(context, move);
  await noteRelease(context.source.db, context.target.db, move);
  const answer = await release(context.target.db, { ...move, runId: context.runId });
  if (answer !== "released")
    throw new AppError("CONFLICT", `The move is ${answer} in the target. Run the command again with --undo.`);
  const heldSeconds = (performance.now() - heldMs) / 1000;
  return { ...(await finishMove(context, move, onRelease)), heldSeconds };
}

interface FrozenMove {
  move: MoveKey;
  /** From when on changes are not copied yet. Undefined: copies all, because another run froze the account. */
  since?: Horizon;
  /** When this run held the account. */
  heldMs?: number;
}

async function copyAndFreeze(context: MoveContext, state: MoveState): Promise<FrozenMove> {
  const { source, account, say } = context;
  if (state.kind === "interrupted") await putBack(source.db, state.outgoing);
  const { outgoing: move, unready, horizon } = await prepareMove(context);
  if (unready.length > 0) throw notVerified(unready);
  const since = await copyUntilLittleIsLeft(context, move, horizon);
  const heldMs = performance.now();
  const hold = await holdForMove(source.db, move);
  say(`${account.name} is held: its requests are answered with 503.`);
  try {
    await requireSnapshotsEnded(source.db, hold.transaction);
    await requireDomains(context);
    await freezeWhenIdle(context, move, hold);
  } catch (error) {
    // It fails when the account is frozen after all; then the next run continues there.
    await endHold(source.db, { ...move, heldAt: hold.heldAt }).catch(() => undefined);
    throw error;
  }
  return { move, since, heldMs };
}

/** An account that is held gets no new domains. One may have come since the preparation. */
async function requireDomains({ source, domains, account }: MoveContext): Promise<void> {
  const unready = await listUnreadyDomains(source, domains, account.id);
  if (unready.length > 0) throw notVerified(unready);
}

function notVerified(unready: UnreadyDomain[]): AppError {
  const names = unready.map(({ domainName }) => domainName).join(", ");
  return new AppError(
    "CONFLICT",
    `Not verified in the target: ${names}. Without --switch the command prints the DNS records.`,
  );
}

async function freezeWhenIdle({ source }: MoveContext, move: MoveKey, { heldAt }: Hold): Promise<void> {
  for (const until = performance.now() + drainMs; ; await sleep(lookEveryMs)) {
    const result = await freeze(source.db, { ...move, heldAt });
    if (result.isFrozen) return;
    if (performance.now() < until) continue;
    throw new AppError(
      "CONFLICT",
      `The account cannot move now. It works in its cell as before. Try again later.\n${result.reasons.map((reason) => `  - ${reason}`).join("\n")}`,
    );
  }
}

/** A transaction from before may put rows into a queue after the account was frozen. */
async function takeAllLateRows({ source }: MoveContext, move: MoveKey): Promise<void> {
  const { transaction } = await source.db.withTransaction(ownTransaction);
  await requireSnapshotsEnded(source.db, transaction);
  while ((await takeLateRows(source.db, move)) > 0);
}
