import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onExit } from "../cell/on-exit.ts";
import type { Acknowledged, LoadPlan, LoadProgress } from "./load-plan.ts";

const driver = fileURLToPath(new URL("drive.ts", import.meta.url));

/** Controls the process that runs drive.ts. */
export class Load {
  readonly plan: LoadPlan;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  progress: LoadProgress = { begun: 0, acknowledged: 0, unanswered: 0, answers: {} };
  isRunning = true;

  constructor(plan: LoadPlan) {
    this.plan = plan;
    const command = ["--pdeathsig", "KILL", process.execPath, driver, JSON.stringify(plan)];
    this.#child = spawn("setpriv", command, { stdio: ["pipe", "pipe", "inherit"] });
    onExit(() => this.#child.kill("SIGKILL"));
    this.#ended = once(this.#child, "close").then(() => {
      this.isRunning = false;
    });
    if (this.#child.stdout !== null) {
      createInterface(this.#child.stdout).on("line", (line) => {
        this.progress = JSON.parse(line);
      });
    }
  }

  /** Starts no more sends; resolves when all started ones are acknowledged. */
  async finish(): Promise<void> {
    this.#child.stdin?.end();
    await this.done();
  }

  async done(): Promise<void> {
    await this.#ended;
    if (this.#child.exitCode !== 0) throw new Error("the load driver failed");
  }

  /** The sends acknowledged so far. The driver writes whole lines, so that none is incomplete. */
  acknowledged(): Acknowledged[] {
    if (!existsSync(this.plan.acknowledgedFile)) return [];
    const lines = readFileSync(this.plan.acknowledgedFile, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }
}
