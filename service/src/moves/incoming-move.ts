import { systemActor } from "../actor.ts";
import { purgeAccount } from "../data-rights/purge-account.ts";
import type { Database, Queryable, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { emptyQueues } from "./insert-moved-rows.ts";
import { lockErasures } from "./move-obstacles.ts";
import { actAsMove, type MoveKey } from "./outgoing-move.ts";

/**
 * The move of an account into this cell. The row of the target decides for both cells: copying → released, or copying → undone. Each is one guarded
 * commit, and one of them only.
 */
export type IncomingState = "copying" | "released" | "undone";

export interface IncomingMove {
  accountId: string;
  moveId: string;
  state: IncomingState;
  sourceUrl: string;
  sourceCell: string;
  startedAt: string;
  endedAt: string | null;
  runId: string;
}

/** The right of one run of the command to write in the target. The newest run has it. */
export type IncomingRun = MoveKey & { runId: string };

type OpenedMove = IncomingRun & Pick<IncomingMove, "sourceUrl" | "sourceCell">;

/**
 * Inserts the row, or finds that of an earlier run in any state. The row of an earlier move is replaced when the account has moved on and its rows are gone
 * from this cell.
 */
export function openIncomingMove(db: Database, move: OpenedMove): Promise<IncomingMove> {
  return db.withTransaction(async (tx) => {
    await lockErasures(tx);
    const known = await lockIncoming(tx, move.accountId);
    if (known?.moveId === move.moveId) {
      await takeOver(tx, move);
      return known;
    }
    if (known !== undefined && known.state !== "released") throw otherMove(known);
    await requireAbsent(tx, move.accountId);
    await requireNoErasure(tx);
    await replaceRow(tx, move);
    const opened = await findIncomingMove(tx, move.accountId);
    // Two runs that insert at the same time: the other one has committed.
    if (opened?.moveId !== move.moveId) throw otherMove(opened);
    return opened;
  });
}

function otherMove(known: IncomingMove | undefined): AppError {
  const from = known === undefined ? "another cell" : `cell ${known.sourceCell}, which is ${known.state}`;
  return new AppError(
    "CONFLICT",
    `This cell has another move of the account from ${from}. End that one first: run its command again, or with --undo.`,
  );
}

/** The account lives here, or it has moved away and what it left is not deleted yet. */
async function requireAbsent(tx: Transaction, accountId: string): Promise<void> {
  const [account] = await tx.query<{ hasMovedOn: boolean }>({
    name: "find-account-in-target",
    text: `
      select exists (
          select from outgoing_moves m where m.account_id = a.id and m.state = 'released'
        ) as "hasMovedOn"
      from accounts a
      where a.id = $1`,
    values: [accountId],
  });
  if (account === undefined) return;
  throw new AppError(
    "CONFLICT",
    account.hasMovedOn
      ? "The account has moved away from this cell, and its rows are still here. Delete them first: `postern admin delete-account`, 40 days after that move."
      : "The account lives in this cell already.",
  );
}

/** From this commit on no earlier run writes or releases. Changes nothing when the move is not copying. */
export async function takeOver(db: Queryable, { accountId, moveId, runId }: IncomingRun): Promise<void> {
  await db.query({
    name: "take-over-incoming-move",
    text: `
      update incoming_moves
      set run_id = $3
      where account_id = $1
        and move_id = $2
        and state = 'copying'`,
    values: [accountId, moveId, runId],
  });
}

async function requireNoErasure(tx: Transaction): Promise<void> {
  const running = await tx.query({
    name: "find-erasure-in-target",
    text: "select from erasures where finished_at is null limit 1",
  });
  if (running.length === 0) return;
  throw new AppError(
    "CONFLICT",
    "An address is being erased from the record of this cell. Let `postern admin erase-address` finish, or run it again.",
  );
}

/** A deletion that is finished was of what an earlier stay in this cell left. */
async function replaceRow(
  tx: Transaction,
  { accountId, moveId, runId, sourceUrl, sourceCell }: OpenedMove,
): Promise<void> {
  await tx.query({
    name: "open-incoming-move",
    text: `
      with forgotten as (
        delete from account_deletions
        where account_id = $1
          and finished_at is not null
      )
      insert into incoming_moves as m (account_id, move_id, source_url, source_cell, run_id)
      values ($1, $2, $3, $4, $5)
      on conflict (account_id) do update
      set move_id = excluded.move_id, run_id = excluded.run_id, state = 'copying', source_url = excluded.source_url, source_cell = excluded.source_cell,
          started_at = now(), ended_at = null
      where m.state = 'released'`,
    values: [accountId, moveId, sourceUrl, sourceCell, runId],
  });
}

const incomingColumns = `account_id as "accountId", move_id as "moveId", state, source_url as "sourceUrl",
        source_cell as "sourceCell", started_at as "startedAt", ended_at as "endedAt", run_id as "runId"`;

export async function findIncomingMove(db: Queryable, accountId: string): Promise<IncomingMove | undefined> {
  const [move] = await db.query<IncomingMove>({
    name: "find-incoming-move",
    text: `
      select ${incomingColumns}
      from incoming_moves
      where account_id = $1`,
    values: [accountId],
  });
  return move;
}

async function lockIncoming(tx: Transaction, accountId: string): Promise<IncomingMove | undefined> {
  const [move] = await tx.query<IncomingMove>({
    name: "lock-incoming-move",
    text: `
      select ${incomingColumns}
      from incoming_moves
      where account_id = $1
      for update`,
    values: [accountId],
  });
  return move;
}

/**
 * Every write of a copy in the target. It throws, and writes nothing, when the move is no longer copying; a release or an undo waits for it. So a run that
 * was suspended writes nothing after another run ended the move. At repeatable read, because it updates rows of `sends` (`runInOneSnapshot` in
 * db/database.ts).
 */
export function inMove<Result>(
  db: Database,
  { accountId, moveId, runId }: IncomingRun,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return db.withTransaction(async (tx) => {
    await tx.query({ name: "one-snapshot-of-move", text: "set transaction isolation level repeatable read" });
    const open = await tx.query({
      name: "share-incoming-move",
      text: `
        select
        from incoming_moves
        where account_id = $1
          and move_id = $2
          and run_id = $3
          and state = 'copying'
        for share`,
      values: [accountId, moveId, runId],
    });
    if (open.length === 0) {
      throw new AppError(
        "CONFLICT",
        "The move went on without this run: another run of the command continued, released or undid it.",
      );
    }
    await actAsMove(tx);
    return work(tx);
  });
}

/** What the row of this move says; absent: there is none, because the move was undone and forgotten, or never opened. */
export type IncomingAnswer = IncomingState | "absent";

/**
 * copying → released: the account works in this cell from this commit on. It stays suspended when it is marked for deletion. Also ends what says that it had
 * moved away from here before. Returns the state after the call.
 */
export function release(db: Database, { accountId, moveId, runId }: IncomingRun): Promise<IncomingAnswer> {
  return db.withTransaction(async (tx) => {
    const move = await lockIncoming(tx, accountId);
    if (move?.moveId !== moveId) return "absent";
    if (move.state !== "copying" || move.runId !== runId) return move.state;
    await actAsMove(tx);
    const released = await tx.query({
      name: "release-incoming-move",
      text: `
        with released as (
          update incoming_moves
          set state = 'released', ended_at = now()
          where account_id = $1
        ), returned as (
          delete from outgoing_moves
          where account_id = $1
            and state = 'released'
        )
        update accounts
        set suspended_at = case when exists (
            select from account_deletions d where d.account_id = $1 and d.finished_at is null
          ) then suspended_at end
        where id = $1
        returning id`,
      values: [accountId],
    });
    if (released.length === 0) throw new Error("the account was not copied");
    return "released";
  });
}

/** copying → undone: from this commit on the account can never be released here by this move. Returns the state after the call. */
export function markUndone(db: Database, { accountId, moveId }: MoveKey): Promise<IncomingAnswer> {
  return db.withTransaction(async (tx) => {
    const move = await lockIncoming(tx, accountId);
    if (move?.moveId !== moveId) return "absent";
    if (move.state !== "copying") return move.state;
    await tx.query({
      name: "undo-incoming-move",
      text: "update incoming_moves set state = 'undone', ended_at = now() where account_id = $1",
      values: [accountId],
    });
    return "undone";
  });
}

/** Deletes what was copied, in small commits, of a move that is undone. Repeatable. The workers remove the domains at the provider. */
export async function purgeIncoming(
  db: Database,
  { accountId, moveId }: MoveKey,
  onProgress: (table: string, rows: number) => void = () => undefined,
): Promise<void> {
  const move = await findIncomingMove(db, accountId);
  if (move?.moveId !== moveId || move.state !== "undone") {
    throw new AppError("CONFLICT", "The move is not undone in the target. Run the command again.");
  }
  await db.withTransaction((tx) => emptyQueues(tx, accountId));
  await purgeAccount(db, accountId, systemActor, onProgress, { isForgotten: false });
  await db.query({
    name: "forget-deletion-in-target",
    text: "delete from account_deletions where account_id = $1",
    values: [accountId],
  });
}

/** Ends a move that is undone and purged. Repeatable. */
export async function forgetIncoming(db: Queryable, { accountId, moveId }: MoveKey): Promise<void> {
  await db.query({
    name: "forget-incoming-move",
    text: `
      delete from incoming_moves
      where account_id = $1
        and move_id = $2
        and state = 'undone'`,
    values: [accountId, moveId],
  });
}
