import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** The simulator in a process of its own, so that a proof can kill it. */
export class SimulatorProcess {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const flags = ["--port", String(this.port), "--data", this.#folder, "--verify", "shop.test"];
    const limits = ["--max-send-rate", "1000000", "--max-24-hour-send=-1"];
    this.#child = spawn(process.execPath, [main, ...flags, ...limits], { stdio: ["ignore", "pipe", "inherit"] });
    const started = await Promise.race([once(this.#child.stdout ?? this.#child, "data"), once(this.#child, "exit")]);
    if (typeof started[0] === "number")
      throw new Error(`The simulator exited with code ${started[0]} during its start`);
  }

  async kill(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill(signal);
    await exited;
  }
}

export async function aFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
