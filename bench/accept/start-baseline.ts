import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export type BaselineName = "plain" | "usesend-shape" | "row-and-job" | "bare";

export interface Baseline {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export async function startBaseline(name: BaselineName, environment: Record<string, string>): Promise<Baseline> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `baselines/baseline-${name}.ts`)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the baseline ${name} exited with ${code}`))),
  ]);
  return {
    url: String(url),
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
