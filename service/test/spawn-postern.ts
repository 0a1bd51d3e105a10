import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Environment } from "../src/config.ts";

export const posternPath = fileURLToPath(new URL("../src/cli/postern.ts", import.meta.url));

export interface LogLine {
  event: string;
  level: string;
  [field: string]: unknown;
}

export interface PosternProcess {
  /** The address of the API; a worker has none. */
  url: string;
  operationsUrl: string;
  pid: number;
  logs(): LogLine[];
  stderr(): string;
  /** Resolves with the first line with this event, including lines that the process wrote before the call. */
  logged(event: string): Promise<LogLine>;
  /** Discards further log lines unread, because parsing them would distort a measurement. */
  ignoreLogs(): void;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Starts a real process in its own folder. Resolves once it has started; rejects with its exit code and the end of its stderr.
 * `giveUp` kills it.
 */
export async function spawnPostern(
  name: "api" | "worker" | "serve",
  env: Environment,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, posternPath],
  giveUp?: AbortSignal,
): Promise<PosternProcess> {
  const child = spawn(program, [...args, name], {
    cwd: mkdtempSync(join(tmpdir(), `postern-${name}-`)),
    env: {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOG_LEVEL: "info",
      ...env,
      PORT: "0",
      OPERATIONS_PORT: env.OPERATIONS_PORT ?? "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  giveUp?.addEventListener("abort", () => void child.kill("SIGKILL"));
  const exited = new Promise<Awaited<PosternProcess["exited"]>>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });

  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  const lineReader = createInterface(child.stdout);
  lineReader.on("line", (line) => {
    lines.push(JSON.parse(line));
    for (const check of waiting) check();
  });
  const logged = (event: string) =>
    new Promise<LogLine>((resolve, reject) => {
      const check = () => {
        const found = lines.find((line) => line.event === event);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
      void exited.then(({ code }) =>
        reject(new Error(`ended with code ${code} before ${event}: ${stderr.slice(-4000)}`)),
      );
    });

  const started = await logged(`${name}.started`);
  return {
    url: String(started.address),
    operationsUrl: String(started.operations),
    pid: child.pid ?? 0,
    logs: () => lines,
    stderr: () => stderr,
    logged,
    ignoreLogs() {
      lineReader.close();
      child.stdout.resume();
    },
    kill: (signal) => void child.kill(signal),
    exited,
  };
}
