import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface EngineProcess {
  pid: number;
  /** See engine-process.ts: the other end of the same lines. */
  order(count: number): Promise<void>;
  stop(): Promise<void>;
}

const patienceMs = 300_000;

export async function spawnEngine(
  script: string,
  role: "fill" | "work",
  environment: Record<string, string | undefined>,
): Promise<EngineProcess> {
  const child = spawn(process.execPath, [script, role], {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const hear = async (word: string) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    const { value } = await lines.next();
    clearTimeout(timer);
    if (value === word) return;
    child.kill("SIGKILL");
    throw new Error(`${script} ${role} was to say ${word} and said ${value ?? "nothing"}`);
  };
  await hear("ready");
  return {
    pid: child.pid ?? 0,
    async order(count) {
      child.stdin.write(`${count}\n`);
      await hear("done");
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
