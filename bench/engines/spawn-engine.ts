import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface EngineProcess {
  pid: number;
  /** The parent's side of the protocol in engine-process.ts. */
  run(count: number): Promise<void>;
  stop(): Promise<void>;
}

const timeoutMs = 300_000;

export async function spawnEngine(
  script: string,
  role: "produce" | "work",
  environment: Record<string, string | undefined>,
): Promise<EngineProcess> {
  const child = spawn(process.execPath, [script, role], {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const expectLine = async (word: string) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const { value } = await lines.next();
    clearTimeout(timer);
    if (value === word) return;
    child.kill("SIGKILL");
    throw new Error(`${script} ${role} printed ${value ?? "nothing"} instead of ${word}`);
  };
  await expectLine("ready");
  return {
    pid: child.pid ?? 0,
    async run(count) {
      child.stdin.write(`${count}\n`);
      await expectLine("done");
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
