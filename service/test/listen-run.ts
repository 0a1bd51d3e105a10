import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Environment } from "../src/config.ts";
import { aFolder } from "./run-postern.ts";
import { posternPath } from "./spawn-postern.ts";

export interface ListenRun {
  stdout(): string;
  stderr(): string;
  /** Resolves once one of the outputs has the text; rejects when the process ends first. */
  shows(text: string): Promise<void>;
  /** As a program that ends before the command does. */
  closePipe(): void;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
}

/** Starts `postern listen` in a real process; the running test kills it when it finishes. */
export function startListen(args: readonly string[], env: Environment): ListenRun {
  const child = spawn(process.execPath, [posternPath, "listen", ...args], {
    cwd: aFolder({}),
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk) => {
      texts[name] += String(chunk);
    });
  }
  let hasExited = false;
  const exited = once(child, "close").then(([code]): number | null => {
    hasExited = true;
    return code;
  });
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    async shows(wanted) {
      for (let tries = 0; tries < 800 && !hasExited; tries++) {
        if (`${texts.stdout}${texts.stderr}`.includes(wanted)) return;
        await sleep(25);
      }
      throw new Error(`"${wanted}" did not appear:\n${texts.stdout}${texts.stderr}`);
    },
    closePipe: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    exited,
  };
}
