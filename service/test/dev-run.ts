import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { posternPath } from "./spawn-postern.ts";

export interface DevRun {
  pid: number;
  screen(): string;
  /** Resolves with the screen once it shows the text; rejects when the process ends first. */
  shows(text: string): Promise<string>;
  /** Sends SIGINT to the whole process group, as a terminal does on Ctrl-C. */
  pressCtrlC(): void;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
}

/** A working folder that the PostgreSQL user may enter, also when the tests run as root. */
export function aDevFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "postern-dev-"));
  chmodSync(folder, 0o711);
  return folder;
}

/** Starts `postern dev` in its own process group, as a shell does. */
export function startDev(folder: string, args: string[] = [], command = [process.execPath, posternPath]): DevRun {
  const [program = "", ...rest] = command;
  const child = spawn(program, [...rest, "dev", ...args], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pid = child.pid ?? 0;
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += String(chunk);
    });
  }
  const exited = once(child, "close").then(([code]): number | null => code);
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  return {
    pid,
    screen: () => text,
    async shows(wanted) {
      for (let tries = 0; tries < 2_400; tries++) {
        if (text.includes(wanted)) return text;
        if (hasExited) break;
        await sleep(25);
      }
      throw new Error(`"${wanted}" did not appear:\n${text}`);
    },
    pressCtrlC: () => void process.kill(-pid, "SIGINT"),
    kill: (signal) => void process.kill(pid, signal),
    exited,
  };
}

/** The command runs in `folder` and each of its processes in the state folder below, so the working folder identifies them. */
export function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && `${workingFolder(name)}/`.startsWith(`${folder}/`))
    .map(Number);
}

function workingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** Returns the processes that still run when the time is up. */
export async function untilNoneIn(folder: string, withinMs = 40_000): Promise<number[]> {
  for (const endsAt = performance.now() + withinMs; performance.now() < endsAt; await sleep(50)) {
    if (processesIn(folder).length === 0) return [];
  }
  return processesIn(folder);
}
