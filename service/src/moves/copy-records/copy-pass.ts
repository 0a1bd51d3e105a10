import { type CopiedTable, eventsTable, partsOfSends, recordTables, sendsTable } from "./copied-tables.ts";
import { copyAttachments } from "./copy-attachments.ts";
import { copyContents } from "./copy-contents.ts";
import type { CopyDeps } from "./copy-deps.ts";
import { copyKeys } from "./copy-keys.ts";
import { copySettings } from "./copy-settings.ts";
import { copyTable, type PassOptions } from "./copy-table.ts";
import { foldUsageOfAccount } from "./fold-usage-of-account.ts";
import { type Horizon, readHorizon } from "./horizon.ts";
import { makePastPartitions } from "./past-partitions.ts";
import { removeGone } from "./remove-gone.ts";
import { type Columns, readColumns } from "./write-rows.ts";

export interface CopyOptions {
  /** Of the pass before. A first pass copies everything. */
  since?: Horizon | undefined;
  /** The source is frozen. */
  isLast: boolean;
  /** The rows that the pass has changed in the target so far, by table. */
  onProgress?: (rows: Readonly<Record<string, number>>) => void;
}

export interface CopiedRecords {
  /** For the next pass. */
  horizon: Horizon;
  rows: Record<string, number>;
}

/**
 * Copies what changed in the source since the pass before. It may end at any point and run again: every page is one commit of its own, and a
 * row that the target has already is compared and not written.
 */
export async function copyPass(deps: CopyDeps, { since, isLast, onProgress }: CopyOptions): Promise<CopiedRecords> {
  const { source, target, accountId, span } = deps;
  // Before anything is read: what commits later is changed for the next pass.
  const horizon = await readHorizon(source);
  const rows: Record<string, number> = {};
  const options: PassOptions = {
    since: since?.serverRun === horizon.serverRun ? since.xid : undefined,
    isLast,
    onRows(table, written) {
      rows[table] = (rows[table] ?? 0) + written;
      onProgress?.(rows);
    },
  };
  if (isLast) await foldUsageOfAccount(source, accountId);
  await makePastPartitions(source, target, { accountId, span });
  const columns = await readColumns(target);
  await copySettings(deps, columns, options);
  await copyTable(deps, columns, sendsTable, options);
  await Promise.all([
    copyTables(deps, columns, recordTables, options),
    copyTable(deps, columns, eventsTable, options),
    copyOfSends(deps, columns, options),
  ]);
  return { horizon, rows };
}

async function copyTables(deps: CopyDeps, columns: Columns, tables: readonly CopiedTable[], options: PassOptions) {
  for (const table of tables) {
    await copyTable(deps, columns, table, options);
    if (table.isDeletedFrom) options.onRows(table.table, await removeGone(deps, table));
  }
}

async function copyOfSends(deps: CopyDeps, columns: Columns, options: PassOptions): Promise<void> {
  await copyTables(deps, columns, partsOfSends, options);
  await copyKeys(deps, columns, options);
  await copyContents(deps, options);
  await copyAttachments(deps, options);
}
