import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { aDevFolder, untilNoneIn } from "../test/dev-run.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const expected = ["suppressed", "bounced", "delivered"];
const mostCommands = 4;

interface Timed {
  command: string;
  seconds: number;
}

/** The size is how often packages are installed: at 0 those of this clone are linked in the place of `npm ci`. */
export const proof: Proof = {
  promise: "The commands of the README lead from a clone to mail that was delivered, bounced and suppressed",
  size: { small: 0, full: 1 },
  run: async (size, { progress }) => {
    const folder = aDevFolder();
    const { clone, install, start, use } = readQuickStart();
    const times: Timed[] = [];
    const clock = async <Result>(command: string, work: () => Promise<Result>) => {
      progress(command);
      const started = performance.now();
      const result = await work();
      times.push({ command: command.split("\n")[0] ?? "", seconds: (performance.now() - started) / 1000 });
      return result;
    };
    const home = join(folder, "postern");
    let dev: ChildProcess | undefined;
    try {
      await clock(clone, () => shell(folder, clone.replace("ADDRESS", root)));
      await clock(size === 0 ? `${install} (linked)` : install, async () =>
        size === 0
          ? symlinkSync(join(root, "node_modules"), join(home, "node_modules"))
          : void (await shell(home, install)),
      );
      dev = await clock(start, () => startAndWait(home, start, progress));
      const answer = await clock(use, () => shell(home, use));
      const statuses = [...answer.matchAll(/^"status":"(\w+)"$/gm)].map(([, status]) => status);
      const left = await stop(dev, home);
      return {
        figure:
          `${times.length} commands: ${times.map(({ command, seconds }) => `${command} ${seconds.toFixed(1)} s`).join("; ")}; ` +
          `the API then shows ${statuses.join(", ")}; ${left} processes left after Ctrl-C`,
        holds: times.length <= mostCommands && String(statuses) === String(expected) && left === 0,
      };
    } finally {
      if (dev !== undefined) await stop(dev, home);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** As printed; only the address of the repository, which no two readers share, is filled in. */
function readQuickStart() {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const section = readme.split("\n## Quick start\n")[1]?.split("\n## ")[0] ?? "";
  const [first = "", use = ""] = [...section.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block?.trim());
  const [clone = "", install = "", start = "", ...more] = first.split("\n");
  if (use === "" || more.length > 0)
    throw new Error("the quick start of the README has another form than this proof knows");
  return { clone, install, start, use };
}

function open(folder: string, script: string): ChildProcess {
  // What the test runner put into its environment is not there on a reader's machine; how npm reaches its packages is.
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|LANG|NODE_EXTRA_CA_CERTS|\w+_proxy|npm_config_(?!local_prefix).*)$/i.test(name),
  );
  return spawn("bash", ["--norc", "-c", script], {
    cwd: folder,
    env: Object.fromEntries(kept),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += String(chunk);
    });
  }
  return () => text;
}

async function shell(folder: string, script: string): Promise<string> {
  const child = open(folder, script);
  const said = collect(child);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${said()}`);
  return said();
}

async function startAndWait(folder: string, script: string, progress: ProofTools["progress"]): Promise<ChildProcess> {
  const child = open(folder, script);
  const said = collect(child);
  for (let tries = 0; tries < 2_400 && !said().includes("Ctrl-C stops everything"); tries++) {
    if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode}:\n${said()}`);
    progress(said().trim().split("\n").at(-1) ?? "");
    await sleep(25);
  }
  return child;
}

/** Ctrl-C reaches npm and all it started in the foreground. */
async function stop(child: ChildProcess, folder: string): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) {
    process.kill(-(child.pid ?? 0), "SIGINT");
    await once(child, "close");
  }
  return (await untilNoneIn(folder)).length;
}
