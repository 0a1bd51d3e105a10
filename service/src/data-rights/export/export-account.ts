import { join } from "node:path";
import type { Actor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { findDeletion } from "../deletion-store.ts";
import { openExportFile } from "./export-file.ts";
import { type FileEntry, type Manifest, openExportFolder, writeManifest } from "./export-folder.ts";
import { noteExport, readTime } from "./export-store.ts";
import { type ExportedKind, exportedKinds } from "./exported-kinds.ts";
import { leftOutTables } from "./left-out-tables.ts";
import { readPage } from "./read-page.ts";

interface ExportOptions {
  account: { id: string; name: string };
  folder: string;
  actor: Actor;
  /** Called after each page, with the rows of all files so far. */
  onProgress: (rows: number) => void;
  rowsPerPage?: number;
}

/**
 * Writes everything of an account to files, in pages. The manifest says how far each file is complete, so the next call continues after an
 * interruption at any moment: a page that the manifest does not know is cut off and written again.
 */
export async function exportAccount(db: Database, options: ExportOptions) {
  const { account, folder, actor } = options;
  const interrupted = await openExportFolder(folder, account.id);
  await requireNoPurge(db, account.id);
  const at = await noteExport(db, account.id, actor, interrupted !== undefined);
  const manifest = interrupted ?? newManifest(account, at);
  // Before the first file: a folder with files and no manifest is refused.
  if (interrupted === undefined) await writeManifest(folder, manifest);
  for (const kind of exportedKinds) await exportKind(db, manifest, kind, options);
  // A purge that began meanwhile has deleted rows that the export lacks.
  await requireNoPurge(db, account.id);
  manifest.finished_at = await readTime(db);
  await writeManifest(folder, manifest);
  return { manifest, isContinued: interrupted !== undefined };
}

function newManifest({ id, name }: ExportOptions["account"], at: string): Manifest {
  return {
    format: 1,
    account_id: id,
    account_name: name,
    started_at: at,
    finished_at: null,
    files: [],
    left_out: leftOutTables,
  };
}

async function requireNoPurge(db: Database, accountId: string): Promise<void> {
  const deletion = await findDeletion(db, accountId);
  if ((deletion?.purgeStartedAt ?? null) === null) return;
  throw new AppError("CONFLICT", "The data of the account is being deleted.");
}

async function exportKind(db: Database, manifest: Manifest, kind: ExportedKind, options: ExportOptions): Promise<void> {
  const { folder, onProgress, rowsPerPage = 1_000 } = options;
  const entry = findOrAdd(manifest, kind);
  if (entry.sha256 !== null) return;
  const file = await openExportFile(join(folder, entry.file), entry.bytes);
  try {
    while (entry.sha256 === null) {
      const { lines, position } = await readPage(db, kind, {
        accountId: manifest.account_id,
        startedAt: manifest.started_at,
        after: entry.position,
        rows: kind.readBy === "table" ? rowsPerPage * 5 : rowsPerPage,
      });
      if (lines.length > 0) entry.bytes = await file.append(`${lines.join("\n")}\n`);
      entry.rows += lines.length;
      if (position === undefined) {
        entry.sha256 = file.sha256();
        delete entry.position;
      } else {
        entry.position = position;
      }
      await writeManifest(folder, manifest);
      onProgress(manifest.files.reduce((sum, { rows }) => sum + rows, 0));
    }
  } finally {
    await file.close();
  }
}

function findOrAdd(manifest: Manifest, { name, table, withheld = "" }: ExportedKind): FileEntry {
  const file = `${name}.ndjson`;
  const found = manifest.files.find((entry) => entry.file === file);
  if (found !== undefined) return found;
  const entry = {
    file,
    table,
    rows: 0,
    bytes: 0,
    sha256: null,
    withheld_columns: withheld.split(" ").filter((column) => column !== ""),
  };
  manifest.files.push(entry);
  return entry;
}
