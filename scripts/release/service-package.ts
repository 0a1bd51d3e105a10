import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

/** Relative to the repository and to the package: both have the layout of the image, so that every path in the code holds. */
export const shippedPaths = ["LICENSE", "CHANGELOG.md", "service/migrations", "console/dist"];

/**
 * Writes the package of the service to an empty folder. Node runs no TypeScript inside of `node_modules`, so the package holds
 * JavaScript: the same files without their types, line by line. `postern dev` is not part of it: it needs the simulator.
 */
export function stageServicePackage(repository: string, folder: string): void {
  for (const path of shippedPaths) cpSync(join(repository, path), join(folder, path), { recursive: true });
  const source = join(repository, "service/src");
  for (const file of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name.endsWith(".test.ts")) continue;
    const from = join(file.parentPath, file.name);
    const to = join(folder, "service/src", from.slice(source.length + 1));
    mkdirSync(dirname(to), { recursive: true });
    if (/\.(ts|cjs)$/.test(file.name))
      writeFileSync(to.replace(/\.ts$/, ".js"), toJavaScript(readFileSync(from, "utf8"), file.name));
    else cpSync(from, to);
  }
  const { scripts: _, devDependencies: __, optionalDependencies: ___, ...manifest } = readManifest(repository);
  const own = {
    name: manifest.name,
    version: manifest.version,
    private: true,
    type: manifest.type,
    engines: manifest.engines,
  };
  writeJson(join(folder, "service/package.json"), own);
  writeJson(join(folder, "package.json"), {
    ...manifest,
    private: undefined,
    bin: { postern: "service/src/cli/start.cjs" },
    files: ["service", "console", "CHANGELOG.md"],
    publishConfig: { access: "public", provenance: true },
  });
}

/** Imports and URLs that name a TypeScript file name the JavaScript file instead. */
export function toJavaScript(text: string, name: string): string {
  const code = name.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
  return code.replaceAll(/((?:\bfrom|\bimport)\s*\(?\s*|\bnew URL\(\s*)(["'`])([^"'`\n]+)\.ts\2/g, "$1$2$3.js$2");
}

function readManifest(repository: string) {
  return JSON.parse(readFileSync(join(repository, "service/package.json"), "utf8"));
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
