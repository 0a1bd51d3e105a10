import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./container-file.ts";

interface Rule {
  pattern: RegExp;
  isKept: boolean;
}

/** Applies .dockerignore: the last line that matches a file, or a folder above it, decides whether the build gets it. */
export function createBuildContext(): { has(path: string): boolean; under(source: string): string[] } {
  const rules = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line): Rule => ({ pattern: asExpression(line.replace(/^!/, "")), isKept: line.startsWith("!") }));
  const has = (path: string) => rules.findLast(({ pattern }) => matches(path, pattern))?.isKept ?? true;
  return {
    has,
    /** The files that COPY takes for this file or folder, as paths from the root of the repository. */
    under(source) {
      const isFolder = statSync(join(root, source)).isDirectory();
      const files = isFolder
        ? globSync(join(source, "**"), { cwd: root }).filter((path) => statSync(join(root, path)).isFile())
        : [source];
      return files.filter(has);
    },
  };
}

function matches(path: string, pattern: RegExp): boolean {
  return path !== "." && (pattern.test(path) || matches(dirname(path), pattern));
}

/** A star also matches names that begin with a dot, as in container engines and unlike in a shell. */
function asExpression(pattern: string): RegExp {
  const parts = { "**/": "(?:.*/)?", "*": "[^/]*" };
  const text = pattern.replaceAll(/\*\*\/|\*|[.+?^${}()|[\]\\]/g, (part) =>
    part in parts ? parts[part as keyof typeof parts] : `\\${part}`,
  );
  return new RegExp(`^${text}$`);
}
