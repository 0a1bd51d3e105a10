import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { inject, onTestFinished } from "vitest";
import type { Environment } from "../src/config.ts";
import { posternPath } from "./spawn-postern.ts";
import { type createEmptyDatabase, openTestDatabase } from "./template-database.ts";

/** Shorter than the ten seconds for which an unclosed database connection keeps a process from ending after its last words. */
const quietMs = 9_000;
/** A busy machine needs long to start a process. */
const timeoutMs = 40_000;
const migrateTimeoutMs = 60_000;

/** Runs a command in a real process with exactly this environment and the cache of compiled code, in a new folder unless one is given. */
export function runPostern(args: readonly string[], env: Environment = {}, cwd = aFolder({})) {
  return runNode([posternPath, ...args], env, cwd, args[0] === "migrate" ? migrateTimeoutMs : timeoutMs);
}

export async function runNode(
  args: readonly string[],
  env: Environment = {},
  cwd = aFolder({}),
  timeout: number = timeoutMs,
) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
    killSignal: "SIGKILL",
  });
  let isQuiet: NodeJS.Timeout | undefined;
  const heard = () => {
    clearTimeout(isQuiet);
    isQuiet = setTimeout(() => child.kill("SIGKILL"), quietMs);
  };
  for (const output of [child.stdout, child.stderr]) output.on("data", heard);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  clearTimeout(isQuiet);
  return { code, stdout, stderr };
}

export function aFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-command-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** A database for one test, empty or with the schema, as `create` makes it. */
export async function aSeparateDatabase(create: typeof createEmptyDatabase) {
  const { url, drop } = await create(inject("serverUrl"));
  const db = openTestDatabase(url);
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  return { url, db };
}
