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
  /** Of the API; a worker has none. */
  url: string;
  operationsUrl: string;
  pid: number;
  logs(): LogLine[];
  /** All that it wrote to stderr. */
  complaints(): string;
  /** The first line with this event, also when it was written before the question. */
  logged(event: string): Promise<LogLine>;
  /** From now on its lines are thrown away unread: reading them would take from what is measured. */
  ignoreLogs(): void;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A real process in a folder of its own. Resolves once it has started; rejects with its last words. */
export async function spawnPostern(
  name: "api" | "worker",
  env: Environment,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, posternPath],
): Promise<PosternProcess> {
  const child = spawn(program, [...args, name], {
    cwd: mkdtempSync(join(tmpdir(), `postern-${name}-`)),
    env: { LOG_LEVEL: "info", ...env, PORT: "0", OPERATIONS_PORT: env.OPERATIONS_PORT ?? "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<Awaited<PosternProcess["exited"]>>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });

  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  const reading = createInterface(child.stdout);
  reading.on("line", (line) => {
    lines.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const logged = (event: string) =>
    new Promise<LogLine>((resolve, reject) => {
      const look = () => {
        const found = lines.find((line) => line.event === event);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void exited.then(({ code }) =>
        reject(new Error(`ended with code ${code} before ${event}: ${complaints.slice(-4000)}`)),
      );
    });

  const started = await logged(`${name}.started`);
  return {
    url: String(started.address),
    operationsUrl: String(started.operations),
    pid: child.pid ?? 0,
    logs: () => lines,
    complaints: () => complaints,
    logged,
    ignoreLogs() {
      reading.close();
      child.stdout.resume();
    },
    kill: (signal) => void child.kill(signal),
    exited,
  };
}
