import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../../src/config.ts";
import { posternPath } from "../../test/spawn-postern.ts";
import { peakOf } from "../peak-memory.ts";

export interface ImportRun {
  isKilled: boolean;
  seconds: number;
  /** The most memory that the process had at a time. */
  peakMb: number;
  counts: { added: number; known: number; invalid: number } | undefined;
}

interface RunOptions {
  environment: Environment;
  accountId: string;
  path: string;
  isDryRun?: boolean;
  /** Kills the process when it is true. */
  isToKill?: () => Promise<boolean>;
}

const pollMs = 20;

/** `postern admin import-suppressions`, as an operator runs it. */
export async function runImport(options: RunOptions): Promise<ImportRun> {
  const { environment, accountId, path, isDryRun = false, isToKill = async () => false } = options;
  const args = ["admin", "import-suppressions", "--account", accountId, "--from", "csv", "--file", path];
  const began = performance.now();
  const child = spawn(process.execPath, [posternPath, ...args, ...(isDryRun ? [] : ["--apply"])], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  let [peakMb, isRunning, isKilled] = [0, true, false];
  void exited.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    peakMb = Math.max(peakMb, peakOf(child.pid ?? 0));
    if (!isKilled && (await isToKill())) isKilled = child.kill("SIGKILL");
    await sleep(pollMs);
  }
  const [code, [stdout, stderr]] = [await exited, await output];
  if (!isKilled && code !== 0) throw new Error(`the import ended with ${code}: ${stderr.slice(-2_000)}`);
  return { isKilled: code !== 0, seconds: (performance.now() - began) / 1_000, peakMb, counts: countsIn(stdout) };
}

function countsIn(stdout: string): ImportRun["counts"] {
  const [, ...numbers] = /NEW +KNOWN +INVALID\n +([\d,]+) +([\d,]+) +([\d,]+)\n/.exec(stdout) ?? [];
  if (numbers.length < 3) return undefined;
  const [added = 0, known = 0, invalid = 0] = numbers.map((number) => Number(number.replaceAll(",", "")));
  return { added, known, invalid };
}
