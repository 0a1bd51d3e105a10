import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { NotReady } from "../frame/bench.ts";

export const contendersFolder = join(import.meta.dirname, "contenders");

/** The other engines are not dependencies of the workspace; the bench installs them when it needs them. Returns their versions. */
export function installContenders(progress: (text: string) => void): Record<string, string> {
  if (!isInstalled()) install(progress);
  return JSON.parse(readFileSync(join(contendersFolder, "package.json"), "utf8")).dependencies;
}

function install(progress: (text: string) => void): void {
  progress("installing the other engines with npm ci in bench/engines/contenders");
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", flags, { cwd: contendersFolder, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0)
    throw new NotReady("npm could not install the other engines. Run: npm ci in bench/engines/contenders");
}

function isInstalled(): boolean {
  const writtenAt = (file: string) => statSync(join(contendersFolder, file), { throwIfNoEntry: false })?.mtimeMs;
  const installed = writtenAt("node_modules/.package-lock.json");
  return installed !== undefined && installed >= (writtenAt("package-lock.json") ?? 0);
}
