import { createHash, type Hash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { AppError } from "../../errors.ts";
import { refuseUnusable } from "./export-folder.ts";

export interface ExportFile {
  /** Returns the size after it. The text is on disk then. */
  append(text: string): Promise<number>;
  sha256(): string;
  close(): Promise<void>;
}

/** Opens a file whose first `bytes` are complete. What a crash left behind them is cut off, and its page is written again. */
export async function openExportFile(path: string, bytes: number): Promise<ExportFile> {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600).catch(refuseUnusable(path));
  try {
    const { size } = await handle.stat();
    if (size < bytes) {
      throw new AppError("CONFLICT", `${path} is shorter than its manifest says. Delete the folder and start again.`);
    }
    await handle.truncate(bytes);
    return await startAppending(handle, path, bytes);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function startAppending(handle: FileHandle, path: string, complete: number): Promise<ExportFile> {
  const hash = await hashOf(handle);
  let bytes = complete;
  return {
    async append(text) {
      const { size } = await handle.stat();
      if (size !== bytes) throw new AppError("CONFLICT", `Another process changed ${path}. Run one export at a time.`);
      const buffer = Buffer.from(text);
      for (let written = 0; written < buffer.length; ) {
        const { bytesWritten } = await handle
          .write(buffer, written, buffer.length - written, bytes + written)
          .catch(refuseUnusable(path));
        written += bytesWritten;
      }
      await handle.datasync();
      hash.update(buffer);
      bytes += buffer.length;
      return bytes;
    },
    sha256: () => hash.copy().digest("hex"),
    close: () => handle.close(),
  };
}

/** Of what the file has now. The state of a hash cannot be stored, so a run that continues reads the file once. */
async function hashOf(handle: FileHandle): Promise<Hash> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1_048_576);
  for (let position = 0, bytesRead = 1; bytesRead > 0; position += bytesRead) {
    ({ bytesRead } = await handle.read(buffer, 0, buffer.length, position));
    hash.update(buffer.subarray(0, bytesRead));
  }
  return hash;
}
