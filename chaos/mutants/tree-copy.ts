import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Mutant } from "./mutants.ts";

export interface TreeCopy {
  folder: string;
  /** Removes the rule. The returned function restores it. */
  apply(mutant: Mutant): () => void;
  remove(): void;
}

/** Copies the working tree, tracked files and new ones, and links the installed packages. */
export function copyTree(): TreeCopy {
  const folder = mkdtempSync(join(tmpdir(), "postern-tree-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  for (const file of new Set(listed.toString().split("\0"))) {
    if (file === "" || !existsSync(file)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(file, join(folder, file), { verbatimSymlinks: true });
  }
  linkPackages(folder);
  return {
    folder,
    apply: (mutant) => applyIn(folder, mutant),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The links of workspace packages are relative, so that their copies lead into the copy. */
export function linkPackages(folder: string): void {
  const packages = join(folder, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync("node_modules")) {
    if (name === "@postern")
      cpSync("node_modules/@postern", join(packages, name), { recursive: true, verbatimSymlinks: true });
    else if (!name.startsWith(".") || name === ".bin") symlinkSync(resolve("node_modules", name), join(packages, name));
  }
  // Packages of a version of its own are in the folder of their workspace.
  for (const own of globSync("*/node_modules")) symlinkSync(resolve(own), join(folder, own));
}

function applyIn(folder: string, { name, file, from, to }: Mutant): () => void {
  const path = join(folder, file);
  const source = readFileSync(path, "utf8");
  const found = source.split(from).length - 1;
  if (found !== 1)
    throw new Error(`${name}: ${file} holds its text ${found} times instead of once. Update chaos/mutants/mutants.ts.`);
  // A function, because a replacement string would interpret dollar signs.
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  return () => writeFileSync(path, source);
}
