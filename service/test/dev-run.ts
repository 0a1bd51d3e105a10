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
  /** Resolves with the screen once it shows the text; rejects when it ended without. */
  shows(text: string): Promise<string>;
  /** What Ctrl-C does in a terminal: the signal goes to the whole group in the foreground. */
  pressCtrlC(): void;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
}

/** A folder to start in that the user of PostgreSQL may pass through, also where the tests run as root. */
export function aDevFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-dev-"));
  chmodSync(folder, 0o711);
  return folder;
}

/** Its own process group, as a shell gives to a command. */
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
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  return {
    pid,
    screen: () => text,
    async shows(wanted) {
      for (let tries = 0; tries < 2_400; tries++) {
        if (text.includes(wanted)) return text;
        if (isOver) break;
        await sleep(25);
      }
      throw new Error(`"${wanted}" did not appear:\n${text}`);
    },
    pressCtrlC: () => void process.kill(-pid, "SIGINT"),
    kill: (signal) => void process.kill(pid, signal),
    exited,
  };
}

/** Every process of a run works in its state folder, and the command itself where it was started. */
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

/** Returns those that are still there when the time is over. */
export async function untilNoneIn(folder: string, withinMs = 40_000): Promise<number[]> {
  for (const endsAt = performance.now() + withinMs; performance.now() < endsAt; await sleep(50)) {
    if (processesIn(folder).length === 0) return [];
  }
  return processesIn(folder);
}
