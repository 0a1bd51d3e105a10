import { mkdir, open, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";

/** What an export says about one of its files. */
export interface FileEntry {
  file: string;
  table: string;
  rows: number;
  bytes: number;
  /** Of the whole file; null until it is complete. */
  sha256: string | null;
  withheld_columns: string[];
  /** While the file is written: where the next page begins. */
  position?: string[];
}

export interface Manifest {
  format: 1;
  account_id: string;
  account_name: string;
  started_at: string;
  finished_at: string | null;
  files: FileEntry[];
  left_out: Record<string, string>;
}

const manifestFile = "manifest.json";
const unfinishedFile = "manifest.json.part";

/** Returns the manifest of an export that was interrupted; undefined if the folder is new or empty. Refuses every other folder. */
export async function openExportFolder(folder: string, accountId: string): Promise<Manifest | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(refuseUnusable(folder));
  const names = await readdir(folder).catch(refuseUnusable(folder));
  if (!names.includes(manifestFile)) {
    if (names.every((name) => name === unfinishedFile)) return undefined;
    throw new AppError(
      "CONFLICT",
      `${folder} is not empty and has no export that can be continued. Give another folder.`,
    );
  }
  const manifest = readManifest(await readFile(join(folder, manifestFile), "utf8").catch(refuseUnusable(folder)));
  if (manifest === undefined) {
    throw new AppError(
      "CONFLICT",
      `${join(folder, manifestFile)} is not the manifest of an export. Give another folder.`,
    );
  }
  if (manifest.account_id !== accountId) {
    throw new AppError(
      "CONFLICT",
      `${folder} has an export of another account, ${manifest.account_id}. Give another folder.`,
    );
  }
  if (manifest.finished_at === null) return manifest;
  throw new AppError(
    "CONFLICT",
    `${folder} has an export of this account that ended at ${manifest.finished_at}. Give another folder for a new one.`,
  );
}

function readManifest(text: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(text) as Partial<Manifest> | null;
    const isKnown = manifest?.format === 1 && typeof manifest.account_id === "string" && Array.isArray(manifest.files);
    // Postern wrote what has its format and the account.
    return isKnown ? (manifest as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the manifest in one step: after a crash there is the one before or the new one. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const written = await open(join(folder, unfinishedFile), "w", 0o600).catch(refuseUnusable(folder));
  try {
    await written.writeFile(`${JSON.stringify(manifest, null, 2)}\n`).catch(refuseUnusable(folder));
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(join(folder, unfinishedFile), join(folder, manifestFile));
  await syncFolder(folder);
}

/** Until then a crash of the machine can undo the rename. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const reasons: Record<string, string> = {
  EACCES: "Its rights do not allow it",
  EDQUOT: "The disk is full. Run the command again when it has space",
  EEXIST: "It is a file",
  EISDIR: "It is a folder",
  ENOENT: "There is no such path",
  ENOSPC: "The disk is full. Run the command again when it has space",
  ENOTDIR: "It is a file, or below one",
  EROFS: "Its file system is read-only",
};

/** The operator can correct these. */
export function refuseUnusable(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const reason = reasons[error.code ?? ""];
    if (reason === undefined) throw error;
    throw new AppError("CONFLICT", `${path} cannot be used. ${reason}.`, { cause: error });
  };
}
