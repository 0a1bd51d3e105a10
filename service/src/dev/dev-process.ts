import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { AppError } from "../errors.ts";
import type { StateFolder } from "./state-folder.ts";
import { type TerminalLine, toTerminalLine } from "./terminal-line.ts";

const preload = new URL(`./stop-with-parent.ts?parent=${process.pid}`, import.meta.url).href;
const stopWithinMs = 30_000;
const keptLines = 12;

export interface ProcessSpec {
  name: string;
  /** The script that node runs, with its arguments. */
  command: string[];
  env?: Record<string, string>;
  /** Sent to the process as soon as it runs; see run-with-options.ts. */
  options?: object;
  /** Its output goes to its log file only, not to the terminal. */
  isQuiet?: boolean;
}

export interface DevProcess {
  spec: ProcessSpec;
  child: ChildProcess;
  /** The last lines of its output, oldest first. */
  lastLines: string[];
  /** Resolves with "with code 1" or "by SIGKILL" when the process has ended. */
  ended: Promise<string>;
}

interface OutputListeners {
  show(line: TerminalLine): void;
  onStdoutLine(line: string): void;
}

/**
 * Starts a process in a session of its own: Ctrl-C in the terminal reaches only `postern dev`, which then stops the others in
 * order. A process stops by itself when `postern dev` is gone.
 */
export function startProcess(
  state: StateFolder,
  spec: ProcessSpec,
  { show, onStdoutLine }: OutputListeners,
): DevProcess {
  const { name, command, env = {}, options, isQuiet = false } = spec;
  const child = spawn(process.execPath, ["--import", preload, ...command], {
    cwd: state.path,
    // The caller's environment is left out: a stray setting or AWS profile must not change what runs here.
    env: { LC_ALL: "C", NODE_COMPILE_CACHE: state.compileCache, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  if (options !== undefined) child.send(options, () => undefined);
  const log = createWriteStream(join(state.logs, `${name}.log`), { flags: "a", mode: 0o600 });
  const lastLines: string[] = [];
  const record = (line: string) => {
    log.write(`${line}\n`);
    lastLines.push(line);
    if (lastLines.length > keptLines) lastLines.shift();
    const shown = isQuiet ? undefined : toTerminalLine(name, line);
    if (shown !== undefined) show(shown);
  };
  readLines(child.stdout, (line) => {
    record(line);
    onStdoutLine(line);
  });
  readLines(child.stderr, record);
  return { spec, child, lastLines, ended: waitForEnd(child, log) };
}

function readLines(stream: Readable | null, onLine: (line: string) => void): void {
  if (stream !== null) createInterface(stream).on("line", onLine);
}

async function waitForEnd(child: ChildProcess, log: WriteStream): Promise<string> {
  const [code, signal] = await once(child, "close");
  log.end();
  // A killed process leaves its own children running, such as the PostgreSQL server of postgres-process.ts.
  if (signal !== null) signalGroup(child, "SIGINT");
  return signal === null ? `with code ${code}` : `by ${signal}`;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group has no process any more.
  }
}

export async function stopProcess({ child, ended }: DevProcess): Promise<void> {
  child.kill("SIGTERM");
  const deadline = setTimeout(() => signalGroup(child, "SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(deadline);
}

export function endedError(state: StateFolder, { spec, lastLines }: DevProcess, how: string): AppError {
  const output = lastLines.map((line) => `  ${line.slice(0, 500)}\n`).join("");
  const file = join(state.logs, `${spec.name}.log`);
  return new AppError(
    "UNAVAILABLE",
    `\n✗ The ${spec.name} process ended ${how}. Its last output:\n\n${output}\nIts full log: ${file}`,
  );
}
