import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeJavaScript } from "../../scripts/release/javascript.ts";

const repository = resolve(import.meta.dirname, "../..");
/** What the code finds by relative paths. */
const linked = [
  "node_modules",
  "package.json",
  "console",
  "service/node_modules",
  "service/package.json",
  "service/migrations",
];

/** The program as the image and the package hold it, for measurements of memory: JavaScript. */
export function makeShippedPostern(): { program: [string, ...string[]]; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "postern-shipped-"));
  mkdirSync(join(folder, "service"));
  for (const path of linked) symlinkSync(join(repository, path), join(folder, path));
  writeJavaScript(join(repository, "service/src"), join(folder, "service/src"));
  return {
    program: [process.execPath, join(folder, "service/src/cli/start.cjs")],
    remove: () => rmSync(folder, { recursive: true }),
  };
}
