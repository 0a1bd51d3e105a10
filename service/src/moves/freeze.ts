import { isInRange } from "../db/code-range.ts";
import type { Database, Transaction } from "../db/database.ts";
import { countText } from "../plain-text.ts";
import { listObstacles } from "./move-obstacles.ts";
import { takeRows } from "./moved-rows.ts";
import { findWhatIsOnItsWay, type OnItsWay } from "./on-its-way.ts";
import { findOutgoingMove, type MoveKey, ownTransaction, unexpectedState } from "./outgoing-move.ts";

export type Freeze =
  | { isFrozen: true; transaction: string }
  /** Nothing changed. Each text says what is in the way. */
  | { isFrozen: false; reasons: string[]; onItsWay: OnItsWay };

/**
 * held → frozen in one commit, with the rows of the queues (moved-rows.ts), if nothing of the account is on its way. Then wait for snapshots from before
 * `transaction`, and call `takeLateRows`.
 */
export function freeze(db: Database, { accountId, moveId, heldAt }: MoveKey & { heldAt: string }): Promise<Freeze> {
  return db.withTransaction(async (tx) => {
    await lockHold(tx, { accountId, moveId, heldAt });
    const onItsWay = await findWhatIsOnItsWay(tx, accountId);
    const reasons = [
      ...(await listCellProblems(tx)),
      ...(await listObstacles(tx, accountId)),
      ...describeOnItsWay(onItsWay),
    ];
    if (reasons.length > 0) return { isFrozen: false, reasons, onItsWay };
    await tx.query({
      name: "freeze-account",
      text: "update outgoing_moves set state = 'frozen', frozen_at = now() where account_id = $1",
      values: [accountId],
    });
    await takeIdleRows(tx, accountId);
    return { isFrozen: true, ...(await ownTransaction(tx)) };
  });
}

async function lockHold(tx: Transaction, { accountId, moveId, heldAt }: MoveKey & { heldAt: string }): Promise<void> {
  const rows = await tx.query({
    name: "lock-hold-of-move",
    text: `
      select
      from outgoing_moves
      where account_id = $1
        and move_id = $2
        and state = 'held'
        and held_at = $3
      for update`,
    values: [accountId, moveId, heldAt],
  });
  if (rows.length === 0) throw unexpectedState(await findOutgoingMove(tx, accountId), { accountId, moveId });
}

/** No failover opens until this transaction ends: it locks the same row. */
async function listCellProblems(tx: Transaction): Promise<string[]> {
  const [cell] = await tx.query<{ isKnownServer: boolean; isInRange: boolean }>({
    name: "find-problems-of-source",
    text: `
      select server_run is null or server_run = server_run() as "isKnownServer", ${isInRange} as "isInRange"
      from provider_state
      where mode = 'live'
      for share`,
  });
  return [
    ...(cell?.isKnownServer
      ? []
      : [
          "The source had a failover or a restart, and its workers have not recognized the server yet, or mark sends as in doubt.",
        ]),
    ...(cell?.isInRange ? [] : ["The schema of the source is not the one of this code."]),
  ];
}

function describeOnItsWay({ leased, inDoubt, delivering }: OnItsWay): string[] {
  return [
    ...(leased > 0 ? [`Workers are submitting sends of the account: ${countText(leased)}.`] : []),
    ...(inDoubt > 0 ? [`The outcome of sends of the account is in doubt: ${countText(inDoubt)}.`] : []),
    ...(delivering > 0 ? [`Workers are delivering webhooks of the account: ${countText(delivering)}.`] : []),
  ];
}

/**
 * Takes the rows that a transaction from before the freeze put in a queue, such as mail that became due (accept/queue-scheduled.ts). Returns
 * how many. Call it after the wait for snapshots, until it returns 0.
 */
export function takeLateRows(db: Database, { accountId, moveId }: MoveKey): Promise<number> {
  return db.withTransaction(async (tx) => {
    const rows = await tx.query({
      name: "lock-frozen-move",
      text: `
        select
        from outgoing_moves
        where account_id = $1
          and move_id = $2
          and state = 'frozen'
        for share`,
      values: [accountId, moveId],
    });
    if (rows.length === 0) throw unexpectedState(await findOutgoingMove(tx, accountId), { accountId, moveId });
    return takeIdleRows(tx, accountId);
  });
}

/** A worker claims nothing of a suspended account, so a row that is busy here breaks an assumption of the move. */
async function takeIdleRows(tx: Transaction, accountId: string): Promise<number> {
  const { taken, busy } = await takeRows(tx, accountId);
  if (busy > 0) throw new Error(`${busy} rows in the queues of a frozen account are busy`);
  return taken;
}
