import { resealContent } from "./copy-records/reseal.ts";
import { inMove } from "./incoming-move.ts";
import { emptyQueues, insertMovedRows } from "./insert-moved-rows.ts";
import type { MoveContext } from "./move-context.ts";
import { type MovedRow, readMovedRows } from "./moved-rows.ts";
import type { MoveKey } from "./outgoing-move.ts";

/** The queue of the frozen account, in the target, where it waits for the release. A second run begins anew. */
export async function copyQueue(context: MoveContext, move: MoveKey): Promise<void> {
  const { source, target, account, runId, onRows } = context;
  const run = { ...move, runId };
  let copied = 0;
  await inMove(target.db, run, (tx) => emptyQueues(tx, account.id));
  for await (const page of readMovedRows(source.db, account.id)) {
    const resealed = page.map((row) => sealForTarget(context, row));
    await inMove(target.db, run, (tx) => insertMovedRows(tx, account.id, resealed));
    copied += page.length;
    onRows(copied);
  }
}

function sealForTarget({ source, target, account }: MoveContext, row: MovedRow): MovedRow {
  if (row.sealed === null) return row;
  const keys = { source: source.contentKey, target: target.contentKey };
  return { ...row, sealed: resealContent(keys, account.id, row.id, row.sealed) };
}
