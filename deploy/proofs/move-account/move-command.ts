import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { posternPath } from "../../../service/test/spawn-postern.ts";
import type { MovingCells } from "./open-cells.ts";

export type MoveFlag = "--switch" | "--undo" | "--keys";

interface CommandEnd {
  /** Null after a signal. */
  code: number | null;
  output: string;
}

export interface RunningCommand {
  kill(): void;
  ended: Promise<CommandEnd>;
}

/** The command of the move. */
export interface Mover {
  start(flag?: MoveFlag): RunningCommand;
  /** Returns what the command printed; rejects when it failed. */
  run(flag?: MoveFlag): Promise<string>;
  /** The lines for moved.map. */
  keys(): Promise<string[]>;
}

/** No form of the command takes longer, also with 100,000 sends. */
const withinMs = 900_000;

/** Runs `postern admin move-account` as the operator does: with the settings of the target, and those of the source in a file. */
export class MoveCommand implements Mover {
  readonly #cells: MovingCells;
  readonly #account: string;
  readonly #file: string;

  constructor(cells: MovingCells, account: string) {
    this.#cells = cells;
    this.#account = account;
    this.#file = join(cells.folder, "source.env");
    const settings = Object.entries(cells.source.environment).filter(([, value]) => value !== undefined);
    writeFileSync(this.#file, settings.map(([name, value]) => `${name}=${value}\n`).join(""), { mode: 0o600 });
  }

  start(flag?: MoveFlag): RunningCommand {
    const args = [posternPath, "admin", "move-account", this.#account, "--from", this.#file];
    const child = spawn(process.execPath, [...args, ...(flag === undefined ? [] : [flag])], {
      env: { ...this.#cells.target.environment, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: withinMs,
      killSignal: "SIGKILL",
    });
    return { kill: () => void child.kill("SIGKILL"), ended: endOf(child) };
  }

  async run(flag?: MoveFlag): Promise<string> {
    const { code, output } = await this.start(flag).ended;
    if (code !== 0) throw new Error(`move-account ${flag ?? "without flags"} ended with code ${code}:\n${output}`);
    return output;
  }

  async keys(): Promise<string[]> {
    const lines = (await this.run("--keys")).split("\n");
    return lines.filter((line) => line.startsWith("postern_"));
  }
}

async function endOf(child: ChildProcess): Promise<CommandEnd> {
  const [code, ...outputs] = await Promise.all([
    new Promise<number | null>((resolve) => child.once("close", resolve)),
    ...[child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream))),
  ]);
  return { code, output: outputs.join("") };
}
