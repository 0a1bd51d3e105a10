import type { Database, Queryable, Transaction } from "../db/database.ts";
import { dropTakenRows, takeRows } from "./moved-rows.ts";
import { findOutgoingMove, type MoveKey, unexpectedState } from "./outgoing-move.ts";

/**
 * → released, in the source, when the target has released the account; from any state, because the target decides. Deletes the taken rows, and rows that a
 * failover put back in the queues: the target has them. Repeatable after an interruption.
 */
export async function markReleased(db: Database, { accountId, moveId }: MoveKey): Promise<void> {
  const rows = await db.query({
    name: "mark-move-released",
    text: `
      with released as (
        update outgoing_moves
        set state = 'released', held_at = coalesce(held_at, now()), frozen_at = coalesce(frozen_at, now()),
            released_at = coalesce(released_at, now())
        where account_id = $1
          and move_id = $2
        returning account_id, held_at
      ), suspended as (
        update accounts
        set suspended_at = released.held_at
        from released
        where accounts.id = released.account_id
          and accounts.suspended_at is null
      )
      select account_id
      from released`,
    values: [accountId, moveId],
  });
  if (rows.length === 0) throw unexpectedState(await findOutgoingMove(db, accountId), { accountId, moveId });
  const whileReleased = (work: (tx: Transaction) => Promise<number>) =>
    db.withTransaction(async (tx) => ((await isReleased(tx, { accountId, moveId })) ? work(tx) : 0));
  await whileReleased(async (tx) => (await takeRows(tx, accountId, { isEverything: true })).taken);
  while ((await whileReleased((tx) => dropTakenRows(tx, accountId))) > 0);
}

/** Locks the row. A run that slept may come after the account has moved back here. */
async function isReleased(tx: Transaction, { accountId, moveId }: MoveKey): Promise<boolean> {
  const rows = await tx.query({
    name: "lock-released-move",
    text: `
      select
      from outgoing_moves
      where account_id = $1
        and move_id = $2
        and state = 'released'
      for share`,
    values: [accountId, moveId],
  });
  return rows.length > 0;
}

/**
 * Before the release: notes the history of the target's server. When the target does not know of a release later and has another history, a failover there
 * may have lost it, with what the target sent (read-move-state.ts).
 */
export async function noteRelease(source: Queryable, target: Queryable, { accountId, moveId }: MoveKey): Promise<void> {
  const rows = await source.query({
    name: "note-release-of-move",
    text: `
      update outgoing_moves
      set releasing_on = $3
      where account_id = $1
        and move_id = $2
        and state = 'frozen'
      returning account_id`,
    values: [accountId, moveId, await readServer(target)],
  });
  if (rows.length === 0) throw unexpectedState(await findOutgoingMove(source, accountId), { accountId, moveId });
}

/** The history of the server: another one after a failover or a restore. */
export async function readServer(db: Queryable): Promise<string> {
  const [row] = await db.query<{ server: string }>({ name: "read-server", text: "select server_identity() as server" });
  if (row === undefined) throw new Error("the server has no identity");
  return row.server;
}
