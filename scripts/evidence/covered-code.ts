import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The files that the paths name, sorted. Tests and Markdown of a folder do not count, because they do not run; a file that is
 * named itself always counts.
 */
export function coveredFiles(root: string, covers: string[]): string[] {
  return [...new Set(covers.flatMap((path) => filesAt(root, path)))].toSorted();
}

/** Changes with the name or the content of any covered file. */
export function hashOfCovered(root: string, covers: string[]): string {
  const hash = createHash("sha256");
  for (const file of coveredFiles(root, covers)) {
    const content = createHash("sha256")
      .update(readFileSync(join(root, file)))
      .digest("hex");
    hash.update(`${file} ${content}\n`);
  }
  return hash.digest("hex").slice(0, 12);
}

function filesAt(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${path}/${entry.name}`;
    if (entry.isDirectory()) return isSourceFolder(entry.name) ? filesAt(root, inside) : [];
    return isCode(entry.name) ? [inside] : [];
  });
}

function isSourceFolder(name: string): boolean {
  return !["node_modules", "dist"].includes(name) && !name.startsWith(".");
}

function isCode(name: string): boolean {
  return !/\.(test\.ts|md|log)$/.test(name) && !name.startsWith(".");
}
