import { randomUUIDv7 } from "node:crypto";
import type { Database, Queryable, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { lockErasures, requireNoObstacles } from "./move-obstacles.ts";

/**
 * The move of an account out of this cell, as the source knows it (migration 0088 lists the states). Each change of the state names the state
 * that it leaves, so a run of the command that was suspended changes nothing after another run went on.
 *
 *   copying → held → frozen (freeze.ts) → released (released-move.ts); back to copying: endHold, putBack (put-back.ts).
 *   unknown: a failover of this cell may have undone the last changes (in-doubt/failover-store.ts).
 */
export type OutgoingState = "copying" | "held" | "frozen" | "released" | "unknown";

export interface OutgoingMove {
  accountId: string;
  moveId: string;
  state: OutgoingState;
  targetUrl: string;
  targetCell: string;
  startedAt: string;
  /** As text, with the microseconds of the database: it names the hold. */
  heldAt: string | null;
  frozenAt: string | null;
  releasedAt: string | null;
  /** The history of the target's server when the release began. */
  releasingOn: string | null;
}

/** What names a move. */
export type MoveKey = Pick<OutgoingMove, "accountId" | "moveId">;

interface StartedMove {
  accountId: string;
  moveId?: string | undefined;
  targetUrl: string;
  targetCell: string;
}

/** Continues the move that has begun, if it goes to the same cell. */
export function startMove(
  db: Database,
  { accountId, moveId, targetUrl, targetCell }: StartedMove,
): Promise<OutgoingMove> {
  return db.withTransaction(async (tx) => {
    await lockErasures(tx);
    await tx.query({
      name: "start-outgoing-move",
      text: `
        insert into outgoing_moves (account_id, move_id, target_url, target_cell)
        select id, $2, $3, $4
        from accounts
        where id = $1
        on conflict (account_id) do nothing`,
      values: [accountId, moveId ?? randomUUIDv7(), targetUrl, targetCell],
    });
    await keepKeyTexts(tx, accountId, true);
    const move = await findOutgoingMove(tx, accountId);
    if (move === undefined) throw new AppError("NOT_FOUND", "There is no such account in the source.");
    if (move.targetCell !== targetCell || move.targetUrl !== targetUrl) throw elsewhere(move);
    if (moveId !== undefined && move.moveId !== moveId) {
      throw new AppError(
        "CONFLICT",
        "Another move of the account to this cell has begun. Run the command again: it continues that one.",
      );
    }
    if (move.state === "copying") {
      await requireWorkingAccount(tx, accountId);
      await requireNoObstacles(tx, accountId);
    }
    return move;
  });
}

/** The move finds the idempotency keys of later sends by it (copy-records/copy-keys.ts). */
async function keepKeyTexts(db: Queryable, accountId: string, isKept: boolean): Promise<void> {
  await db.query({
    name: "keep-key-texts",
    text: "update accounts set keeps_key_texts = $2 where id = $1 and keeps_key_texts <> $2",
    values: [accountId, isKept],
  });
}

function elsewhere({ state, targetCell, targetUrl }: OutgoingMove): AppError {
  const where = `cell ${targetCell} (${targetUrl})`;
  return new AppError(
    "CONFLICT",
    state === "released"
      ? `The account has moved to ${where}. Move it from there.`
      : `The account is moving to ${where}. End that move first: run the command there with --undo.`,
  );
}

async function requireWorkingAccount(tx: Transaction, accountId: string): Promise<void> {
  const [account] = await tx.query<{ isSuspended: boolean }>({
    name: "find-suspension-for-move",
    text: `select suspended_at is not null as "isSuspended" from accounts where id = $1`,
    values: [accountId],
  });
  if (account === undefined) throw new AppError("NOT_FOUND", "There is no such account in the source.");
  if (account.isSuspended) throw new AppError("CONFLICT", "The account is suspended. Resume it before you move it.");
}

export async function findOutgoingMove(db: Queryable, accountId: string): Promise<OutgoingMove | undefined> {
  const [move] = await db.query<OutgoingMove>({
    name: "find-outgoing-move",
    text: `
      select account_id as "accountId", move_id as "moveId", state, target_url as "targetUrl", target_cell as "targetCell",
        started_at as "startedAt", held_at::text as "heldAt", frozen_at as "frozenAt", released_at as "releasedAt",
        releasing_on as "releasingOn"
      from outgoing_moves
      where account_id = $1`,
    values: [accountId],
  });
  return move;
}

export interface Hold {
  /** As text, with the microseconds of the database. `freeze` and `endHold` name the hold by it. */
  heldAt: string;
  /** A statement whose snapshot is from after this transaction sees the hold (`waitForSnapshots`). */
  transaction: string;
}

/** copying → held: the account is suspended from this commit on. Changes nothing when it is held already. */
export function holdForMove(db: Database, { accountId, moveId }: MoveKey): Promise<Hold> {
  return db.withTransaction(async (tx) => {
    await lockErasures(tx);
    const [held] = await tx.query<{ heldAt: string }>({
      name: "hold-for-move",
      text: `
        update outgoing_moves
        set state = 'held', held_at = now()
        where account_id = $1
          and move_id = $2
          and state = 'copying'
        returning held_at::text as "heldAt"`,
      values: [accountId, moveId],
    });
    if (held === undefined) return { heldAt: await findHold(tx, { accountId, moveId }), ...(await ownTransaction(tx)) };
    await requireNoObstacles(tx, accountId);
    const suspended = await tx.query({
      name: "suspend-for-move",
      text: "update accounts set suspended_at = $2 where id = $1 and suspended_at is null returning id",
      values: [accountId, held.heldAt],
    });
    if (suspended.length === 0) await requireWorkingAccount(tx, accountId);
    return { heldAt: held.heldAt, ...(await ownTransaction(tx)) };
  });
}

async function findHold(tx: Transaction, { accountId, moveId }: MoveKey): Promise<string> {
  const move = await findOutgoingMove(tx, accountId);
  if (move?.moveId === moveId && move.state === "held" && move.heldAt !== null) return move.heldAt;
  throw unexpectedState(move, { accountId, moveId });
}

/** For a guarded change that met another state. */
export function unexpectedState(move: OutgoingMove | undefined, { moveId }: MoveKey): AppError {
  const found = move?.moveId === moveId ? `The move is ${move.state}.` : "The move has ended.";
  return new AppError("CONFLICT", `${found} Another run of the command went on meanwhile. Run the command again.`);
}

/** The id of this transaction, which has one from now on. */
export async function ownTransaction(tx: Transaction): Promise<{ transaction: string }> {
  const [row] = await tx.query<{ transaction: string }>({
    name: "id-of-own-transaction",
    text: "select pg_current_xact_id()::xid::text as transaction",
  });
  if (row === undefined) throw new Error("the transaction has no id");
  return row;
}

/** For statements that the triggers of 0088 would refuse. Until the end of the transaction. */
export async function actAsMove(tx: Transaction): Promise<void> {
  await tx.query({ name: "act-as-move", text: "select set_config('postern.moves_account', 'on', true)" });
}

/** held → copying: the account works again. Returns false when this hold had ended before. */
export function endHold(db: Database, { accountId, moveId, heldAt }: MoveKey & { heldAt: string }): Promise<boolean> {
  return db.withTransaction(async (tx) => {
    await actAsMove(tx);
    const ended = await tx.query({
      name: "end-hold-of-move",
      text: `
        with ended as (
          update outgoing_moves
          set state = 'copying', held_at = null
          where account_id = $1
            and move_id = $2
            and state = 'held'
            and held_at = $3
          returning account_id
        ), resumed as (
          update accounts
          set suspended_at = null
          from ended
          where accounts.id = ended.account_id
            and accounts.suspended_at = $3
            and not exists (select from account_deletions d where d.account_id = accounts.id and d.finished_at is null)
        )
        select account_id
        from ended`,
      values: [accountId, moveId, heldAt],
    });
    return ended.length > 0;
  });
}

/** Ends a move that is undone: after `putBack` or `endHold`, and when `moved_feedback` of the account is applied. Repeatable. */
export async function forgetOutgoing(db: Queryable, { accountId, moveId }: MoveKey): Promise<void> {
  await keepKeyTexts(db, accountId, false);
  await db.query({
    name: "forget-outgoing-move",
    text: `
      delete from outgoing_moves
      where account_id = $1
        and move_id = $2
        and state = 'copying'`,
    values: [accountId, moveId],
  });
}
