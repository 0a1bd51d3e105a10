import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { onExit } from "./on-exit.ts";

export interface Program {
  name: string;
  args: string[];
  env: Record<string, string | undefined>;
  /** Part of the output line that the program prints when it has started. */
  startedLine: string;
  logFile: string;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that stops takes 25 s at most, and one that starts 60 s. */
const restartWithinMs = 90_000;
/** Pause before the retry of a program that did not start. A program that had started is restarted immediately. */
const pauseMs = 200;
/** Log lines of errors that the code does not expect. */
const unexpectedError =
  /"event":"(api\.crashed|worker\.crashed|delivery\.submit-threw)"|unhandled ?rejection|FATAL ERROR/i;

/** A process that is restarted whenever it exits, as a service manager does. */
export class Supervised {
  readonly program: Program;
  /** Log lines that no process may write. */
  readonly unexpectedErrors: string[] = [];
  /** The number of exits after a start that the run did not cause. */
  unexpectedExits = 0;
  #child: ChildProcess | undefined;
  #starts = 0;
  #isStopping = false;
  #isKilled = false;
  #lastExit: ProcessExit | undefined;
  #running = Promise.withResolvers<void>();

  constructor(program: Program) {
    this.program = program;
    onExit(() => this.#child?.kill("SIGKILL"));
  }

  /** Resolves when the process has started. */
  start(): Promise<void> {
    this.#isStopping = false;
    void this.#keepAlive();
    return this.#running.promise;
  }

  /** Resolves when the process has started, immediately if it is running. */
  up(): Promise<void> {
    return this.#running.promise;
  }

  /** The pid of the current process; 0 while there is none. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The changes take effect at the next start. */
  changeEnvironment(changes: Record<string, string | undefined>): void {
    Object.assign(this.program.env, changes);
  }

  /** Returns whether a process received the signal. */
  signal(signal: NodeJS.Signals): boolean {
    const isSent = this.#child?.kill(signal) ?? false;
    if (isSent && signal === "SIGKILL") this.#isKilled = true;
    return isSent;
  }

  /** Kills the process; resolves when its successor has started. */
  async killAndWait(): Promise<void> {
    const before = this.#starts;
    this.signal("SIGKILL");
    while (this.#starts === before) await sleep(20);
  }

  /** Stops the process with SIGTERM, as a service manager does, and starts the program again, with other arguments if given. */
  async restart(args: string[] = this.program.args): Promise<ProcessExit | undefined> {
    const before = this.#starts;
    this.program.args = args;
    this.#isKilled = this.#child?.kill("SIGTERM") ?? false;
    for (const end = performance.now() + restartWithinMs; this.#starts === before; await sleep(20)) {
      if (performance.now() > end) throw new Error(`${this.program.name} did not restart, see ${this.program.logFile}`);
    }
    return this.#lastExit;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  }

  async #keepAlive(): Promise<void> {
    while (!this.#isStopping) {
      const hasRun = await this.#runOnce();
      if (!hasRun && !this.#isStopping) await sleep(pauseMs);
    }
  }

  /** Runs the program once. Returns whether it had started before it exited. */
  async #runOnce(): Promise<boolean> {
    const { child, ended, started } = run(this.program, this.unexpectedErrors);
    this.#child = child;
    let hasStarted = false;
    void started.then(() => {
      hasStarted = true;
      this.#starts += 1;
      this.#running.resolve();
    });
    this.#lastExit = await ended;
    if (hasStarted) this.#running = Promise.withResolvers<void>();
    if (hasStarted && !this.#isKilled && !this.#isStopping) this.unexpectedExits += 1;
    this.#isKilled = false;
    return hasStarted;
  }
}

/** Runs a program once. The kernel kills it when this process exits, even by SIGKILL. */
export function run(program: Program, unexpectedErrors: string[] = []) {
  const log = createWriteStream(program.logFile, { flags: "a" });
  const child = spawn("setpriv", ["--pdeathsig", "KILL", process.execPath, ...program.args], {
    env: program.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const read = (line: string) => {
    log.write(`${line}\n`);
    if (line.includes(program.startedLine)) resolve();
    if (unexpectedError.test(line)) unexpectedErrors.push(`${program.name}: ${line.slice(0, 300)}`);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", read);
  const ended = new Promise<ProcessExit>((done) => {
    child.on("close", (code, signal) => {
      log.end();
      done({ code, signal });
    });
  });
  return { child, started, ended };
}
