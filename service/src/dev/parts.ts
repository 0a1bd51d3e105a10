import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { AppError } from "../errors.ts";
import type { StateFolder } from "./state-folder.ts";
import { type Told, tellLine } from "./tell-line.ts";

const preload = new URL(`./stop-with-parent.ts?parent=${process.pid}`, import.meta.url).href;
const stopWithinMs = 30_000;
const lastWordsLines = 12;

export interface PartSpec {
  name: string;
  /** What node runs. */
  command: string[];
  env?: Record<string, string>;
  /** What the process is told once it runs. */
  message?: object;
  /** Only its log file gets what it says. */
  isQuiet?: boolean;
}

export interface Parts {
  /** Resolves with the facts of the line `<name>.started`. */
  start(spec: PartSpec): Promise<Record<string, unknown>>;
  /** For a command that ends: resolves with what it printed. */
  run(spec: PartSpec): Promise<string>;
  /** Rejects when a part ends that nobody has stopped. */
  broken: Promise<never>;
  /** All of a row at the same time, the rows one after the other. Nothing is started from then on. */
  stop(...rows: string[][]): Promise<void>;
  /** Ends all that still run without waiting for their work. */
  hurry(): void;
}

interface Part {
  spec: PartSpec;
  child: ChildProcess;
  said: string[];
  ended: Promise<string>;
}

/**
 * Every part is a process in a session of its own, so that Ctrl-C in a terminal reaches only us, and stops by itself when
 * we are gone.
 */
export function createParts(state: StateFolder, tell: (told: Told) => void): Parts {
  const running = new Map<string, Part>();
  let isStopping = false;
  let breakDown: (error: Error) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    breakDown = reject;
  });
  broken.catch(() => undefined);

  const open = (spec: PartSpec, onLine: (line: string) => void): Part => {
    if (isStopping) throw new AppError("UNAVAILABLE", `${spec.name} was not started: everything is stopping.`);
    const part = spawnPart(state, spec, tell, onLine);
    running.set(spec.name, part);
    void part.ended.then(() => running.delete(spec.name));
    return part;
  };
  return {
    broken,
    async start(spec) {
      const started = Promise.withResolvers<Record<string, unknown>>();
      const part = open(spec, (line) => {
        const { event, ...facts } = parseLine(line);
        if (event === `${spec.name}.started`) started.resolve(facts);
      });
      void part.ended.then((how) => {
        const error = endedError(state, part, how);
        started.reject(error);
        if (!isStopping) breakDown(error);
      });
      return started.promise;
    },
    async run(spec) {
      const lines: string[] = [];
      const part = open({ isQuiet: true, ...spec }, (line) => lines.push(line));
      const how = await part.ended;
      if (part.child.exitCode !== 0) throw endedError(state, part, how);
      return lines.join("\n");
    },
    async stop(...rows) {
      isStopping = true;
      for (const row of rows) await Promise.all(row.flatMap((name) => running.get(name) ?? []).map(stopPart));
    },
    hurry() {
      // PostgreSQL has a quick way out of its own; killing it would leave its sessions for a moment.
      for (const { spec, child } of running.values()) child.kill(spec.name === "postgres" ? "SIGTERM" : "SIGKILL");
    },
  };
}

function spawnPart(state: StateFolder, spec: PartSpec, tell: (told: Told) => void, onLine: (line: string) => void) {
  const { name, command, env = {}, message, isQuiet = false } = spec;
  const child = spawn(process.execPath, ["--import", preload, ...command], {
    cwd: state.path,
    // Nothing of the caller's environment: a stray setting or AWS profile must not reach in here.
    env: { LC_ALL: "C", NODE_COMPILE_CACHE: state.compiled, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  if (message !== undefined) child.send(message, () => undefined);
  const log = createWriteStream(join(state.logs, `${name}.log`), { flags: "a", mode: 0o600 });
  const said: string[] = [];
  const take = (line: string) => {
    log.write(`${line}\n`);
    said.push(line);
    if (said.length > lastWordsLines) said.shift();
    const told = isQuiet ? undefined : tellLine(name, line);
    if (told !== undefined) tell(told);
  };
  readLines(child.stdout, (line) => {
    take(line);
    onLine(line);
  });
  readLines(child.stderr, take);
  return { spec, child, said, ended: ending(child, log) };
}

function readLines(stream: Readable | null, take: (line: string) => void): void {
  if (stream !== null) createInterface(stream).on("line", take);
}

async function ending(child: ChildProcess, log: WriteStream): Promise<string> {
  const [code, signal] = await once(child, "close");
  log.end();
  // What it started itself may have outlived it: a PostgreSQL whose guard was killed.
  if (signal !== null) signalGroup(child, "SIGINT");
  return signal === null ? `with code ${code}` : `by ${signal}`;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}

async function stopPart({ child, ended }: Part): Promise<void> {
  child.kill("SIGTERM");
  const deadline = setTimeout(() => signalGroup(child, "SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(deadline);
}

function endedError(state: StateFolder, { spec, said }: Part, how: string): AppError {
  const words = said.map((line) => `  ${line.slice(0, 500)}\n`).join("");
  const file = join(state.logs, `${spec.name}.log`);
  return new AppError(
    "UNAVAILABLE",
    `\n✗ ${spec.name} ended ${how}. Its last words:\n\n${words}\nAll it said: ${file}`,
  );
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
