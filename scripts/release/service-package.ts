import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeJavaScript } from "./javascript.ts";

/** Relative to the repository and to the package: both have the layout of the image, so that every path in the code holds. */
export const shippedPaths = ["LICENSE", "CHANGELOG.md", "service/migrations", "console/dist"];

/**
 * Writes the package of the service to an empty folder. Node runs no TypeScript inside of `node_modules`, so the package holds
 * JavaScript. `postern dev` is not part of it: it needs the simulator.
 */
export function stageServicePackage(repository: string, folder: string): void {
  for (const path of shippedPaths) cpSync(join(repository, path), join(folder, path), { recursive: true });
  writeJavaScript(join(repository, "service/src"), join(folder, "service/src"));
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

function readManifest(repository: string) {
  return JSON.parse(readFileSync(join(repository, "service/package.json"), "utf8"));
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
