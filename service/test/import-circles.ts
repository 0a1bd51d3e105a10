import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** The module specifiers of a source file: imports, type imports, dynamic imports and re-exports. */
export function importsIn(source: string): string[] {
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*["'`]([^"'`]+)["'`]/g)].map(([, name]) => name ?? "");
}

/**
 * Groups of files in `root` that import each other, type imports included: the strongly connected components of the import
 * graph (Tarjan's algorithm) with more than one file, or with a file that imports itself.
 */
export function findImportCircles(root: string, folders = ["."]): string[][] {
  const graph = readImportGraph(root, folders);
  const index = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];

  function visit(file: string): number {
    const own = index.size;
    index.set(file, own);
    let low = own;
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!index.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, index.get(target) ?? own);
    }
    if (low === own) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1 || graph.get(file)?.includes(file)) circles.push(component.toSorted());
    }
    return low;
  }

  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return circles;
}

function readImportGraph(root: string, folders: string[]): Map<string, string[]> {
  const files = folders
    .flatMap((folder) => globSync("**/*.ts", { cwd: join(root, folder) }).map((file) => normalize(join(folder, file))))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const relative = importsIn(readFileSync(join(root, file), "utf8")).filter((name) => name.startsWith("."));
      return [file, relative.map((name) => normalize(join(dirname(file), name))).filter((target) => known.has(target))];
    }),
  );
}
