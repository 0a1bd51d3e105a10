import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

export interface StartedProgram {
  pid: number;
  /** The end of its output. */
  output(): string;
  hasEnded(): boolean;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program of a Debian package. Fails at once when it is missing: a proof never passes without its parts. */
export function startProgram(
  file: string,
  args: string[],
  options: { cwd: string; user?: { uid: number; gid: number } | undefined; debianPackage: string },
): StartedProgram {
  if (!existsSync(file)) throw new Error(`${file} is missing: apt-get install ${options.debianPackage}`);
  const child = spawn(file, args, {
    cwd: options.cwd,
    ...options.user,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: options.cwd, LANG: "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output = `${output}${chunk}`.slice(-20_000);
    });
  }
  const ended = once(child, "exit");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    output: () => output,
    hasEnded,
    async stop(signal = "SIGTERM") {
      if (hasEnded()) return;
      child.kill(signal);
      await ended;
    },
  };
}
