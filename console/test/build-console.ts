import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const maxBuildMs = 120_000;

/** Builds `console/dist`, which the API serves, unless it is newer than every source. */
export async function buildConsole(): Promise<void> {
  const options = { cwd: join(import.meta.dirname, ".."), timeout: maxBuildMs };
  await run("npm", ["run", "--silent", "build:when-changed"], options);
}
