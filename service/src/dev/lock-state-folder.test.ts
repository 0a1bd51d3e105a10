import { chmodSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockStateFolder } from "./lock-state-folder.ts";
import { openStateFolder } from "./state-folder.ts";

test("only the start that has the lock changes who may enter the folder", () => {
  const path = mkdtempSync(join(tmpdir(), "postern-lock-"));
  chmodSync(path, 0o755);
  const state = openStateFolder(path);
  const lock = lockStateFolder(state);
  expect(modeOf(path)).toBe(0o700);
  // As root, the first start lets the user of PostgreSQL pass.
  chmodSync(path, 0o711);
  expect(() => lockStateFolder(openStateFolder(path))).toThrow("Another `postern dev` uses");
  expect(modeOf(path)).toBe(0o711);
  lock.release();
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
