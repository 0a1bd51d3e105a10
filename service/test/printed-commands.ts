import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The code blocks in this language below a heading of a document, as printed. */
export function blocksUnder(document: string, heading: string, language = "bash"): string[] {
  const text = readFileSync(join(root, document), "utf8");
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, block = ""]) =>
    block.trim(),
  );
}

export interface StartedCommand {
  child: ChildProcess;
  output(): string;
  /** Presses Ctrl-C, which reaches npm and all processes that it started in the foreground. */
  stop(): Promise<void>;
}

export interface Terminal {
  /** Resolves with the standard output; rejects with all output when the command fails. */
  run(script: string): Promise<string>;
  /** Resolves when the output matches. */
  start(script: string, isReady: RegExp): Promise<StartedCommand>;
}

const readyWithinMs = 90_000;

/** A terminal in this folder. It has the variables of a user's machine, and not those of the test runner. */
export function openTerminal(folder: string, environment: Record<string, string> = {}): Terminal {
  const open = (script: string) =>
    spawn("bash", ["--norc", "-c", `set -eo pipefail\n${script}`], {
      cwd: folder,
      env: { ...usersVariables(), ...environment },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    async run(script) {
      const child = open(script);
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`${script}\nended with ${code}:\n${stdout()}${stderr()}`);
      return stdout();
    },
    async start(script, isReady) {
      const child = open(script);
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
      const output = () => `${stdout()}${stderr()}`;
      const started = { child, output, stop: () => stop(child) };
      for (const deadline = performance.now() + readyWithinMs; performance.now() < deadline; await sleep(25)) {
        if (isReady.test(output())) return started;
        if (child.exitCode !== null) break;
      }
      await stop(child);
      throw new Error(`${script}\ndid not print ${isReady}:\n${output()}`);
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  process.kill(-(child.pid ?? 0), "SIGINT");
  await closed;
}

/** npm needs its settings to reach packages. */
function usersVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = ""]) =>
      /^(PATH|HOME|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|\w+_proxy|npm_config_(?!local_prefix).*)$/i.test(name)
        ? [[name, value]]
        : [],
    ),
  );
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  return () => text;
}
