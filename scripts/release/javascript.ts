import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

/**
 * Writes the code in a folder as JavaScript: the same files without their types, line by line, and without the tests. The image and the
 * package hold this, because a process that removes the types itself needs 15 to 20 MB more for as long as it runs.
 */
export function writeJavaScript(source: string, target: string): void {
  for (const file of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name.endsWith(".test.ts")) continue;
    const from = join(file.parentPath, file.name);
    const to = join(target, from.slice(source.length));
    mkdirSync(dirname(to), { recursive: true });
    if (/\.(ts|cjs)$/.test(file.name))
      writeFileSync(to.replace(/\.ts$/, ".js"), toJavaScript(readFileSync(from, "utf8"), file.name));
    else cpSync(from, to);
  }
}

/** Imports and URLs that name a TypeScript file name the JavaScript file instead. */
export function toJavaScript(text: string, name: string): string {
  const code = name.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
  return code.replaceAll(/((?:\bfrom|\bimport)\s*\(?\s*|\bnew URL\(\s*)(["'`])([^"'`\n]+)\.ts\2/g, "$1$2$3.js$2");
}
