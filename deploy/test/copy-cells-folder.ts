import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./container-file.ts";

/** A copy of deploy/cells for one run of HAProxy. The caller removes it. */
export function copyCellsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-cells-"));
  cpSync(join(root, "deploy/cells"), folder, { recursive: true });
  return folder;
}

/** As the operator does after a move. */
export function writeMovedMap(folder: string, lines: string[]): void {
  writeFileSync(join(folder, "moved.map"), lines.map((line) => `${line}\n`).join(""));
}
