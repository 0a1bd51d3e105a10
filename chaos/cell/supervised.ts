import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { atTheEnd } from "./at-the-end.ts";

export interface Program {
  name: string;
  args: string[];
  env: Record<string, string | undefined>;
  /** A line of its output that tells that it is at work. */
  startedBy: string;
  logFile: string;
}

export interface Death {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program that could not start is tried again after this long; one that ran is started anew at once. */
const pauseMs = 200;
/** What a process says when something was not thought of. */
const neverSaid = /"event":"(api|worker|delivery)\.broke"|unhandled ?rejection|FATAL ERROR/i;

/** A process that is started again whenever it dies, as an operator's supervisor does. */
export class Supervised {
  readonly program: Program;
  /** Lines that no process should ever write. */
  readonly outcries: string[] = [];
  /** How often it ended without our doing after it had started. */
  deathsOfItsOwn = 0;
  #child: ChildProcess | undefined;
  #starts = 0;
  #isStopping = false;
  #isKilled = false;
  #running = Promise.withResolvers<void>();

  constructor(program: Program) {
    this.program = program;
    atTheEnd(() => this.#child?.kill("SIGKILL"));
  }

  /** Resolves when it is at work. */
  start(): Promise<void> {
    this.#isStopping = false;
    void this.#keepAlive();
    return this.#running.promise;
  }

  /** Resolves when it is at work, at once if it is. */
  up(): Promise<void> {
    return this.#running.promise;
  }

  /** Of the process that is there now; 0 while there is none. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Other settings, from the next start on. */
  changeEnvironment(changes: Record<string, string | undefined>): void {
    Object.assign(this.program.env, changes);
  }

  /** Returns whether there was a process to get it. */
  signal(signal: NodeJS.Signals): boolean {
    const isSent = this.#child?.kill(signal) ?? false;
    if (isSent && signal === "SIGKILL") this.#isKilled = true;
    return isSent;
  }

  /** Kills it; resolves when the next one is at work. */
  async killAndWait(): Promise<void> {
    const before = this.#starts;
    this.signal("SIGKILL");
    while (this.#starts === before) await sleep(20);
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
      const hasRun = await this.#live();
      if (!hasRun && !this.#isStopping) await sleep(pauseMs);
    }
  }

  /** One life. Returns whether it had started. */
  async #live(): Promise<boolean> {
    const { child, ended, started } = run(this.program, this.outcries);
    this.#child = child;
    let hasStarted = false;
    void started.then(() => {
      hasStarted = true;
      this.#starts += 1;
      this.#running.resolve();
    });
    await ended;
    if (hasStarted) this.#running = Promise.withResolvers<void>();
    if (hasStarted && !this.#isKilled && !this.#isStopping) this.deathsOfItsOwn += 1;
    this.#isKilled = false;
    return hasStarted;
  }
}

/** One life of a program. It dies with this process, even when this process is killed. */
export function run(program: Program, outcries: string[] = []) {
  const log = createWriteStream(program.logFile, { flags: "a" });
  const child = spawn("setpriv", ["--pdeathsig", "KILL", process.execPath, ...program.args], {
    env: program.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const read = (line: string) => {
    log.write(`${line}\n`);
    if (line.includes(program.startedBy)) resolve();
    if (neverSaid.test(line)) outcries.push(`${program.name}: ${line.slice(0, 300)}`);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", read);
  const ended = new Promise<Death>((done) => {
    child.on("close", (code, signal) => {
      log.end();
      done({ code, signal });
    });
  });
  return { child, started, ended };
}
