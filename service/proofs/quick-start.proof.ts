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

/** The size is the number of package installations. At 0 the proof links the packages of this clone in place of `npm ci`. */
export const proof: Proof = {
  promise: "The commands of the README lead from a clone to a delivered, a bounced and a suppressed mail",
  size: { small: 0, full: 1 },
  run: async (size, { progress }) => {
    const folder = aDevFolder();
    const { clone, install, start, use } = readQuickStart();
    const times: Timed[] = [];
    const timed = async <Result>(command: string, work: () => Promise<Result>) => {
      progress(command);
      const started = performance.now();
      const result = await work();
      times.push({ command: command.split("\n")[0] ?? "", seconds: (performance.now() - started) / 1000 });
      return result;
    };
    const home = join(folder, "postern");
    let dev: ChildProcess | undefined;
    try {
      await timed(clone, () => shell(folder, clone.replace("ADDRESS", root)));
      await timed(size === 0 ? `${install} (linked)` : install, async () =>
        size === 0
          ? symlinkSync(join(root, "node_modules"), join(home, "node_modules"))
          : void (await shell(home, install)),
      );
      dev = await timed(start, () => startAndWait(home, start, progress));
      const answer = await timed(use, () => shell(home, use));
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

/** The commands as printed; only the address of the repository is filled in. */
function readQuickStart() {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const section = readme.split("\n## Quick start\n")[1]?.split("\n## ")[0] ?? "";
  const [first = "", use = ""] = [...section.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block?.trim());
  const [clone = "", install = "", start = "", ...more] = first.split("\n");
  if (use === "" || more.length > 0)
    throw new Error("the quick start of the README does not have the form that this proof expects");
  return { clone, install, start, use };
}

function open(folder: string, script: string): ChildProcess {
  // A reader's machine does not have the variables of the test runner, but it has the settings with which npm reaches packages.
  const variables = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|LANG|NODE_EXTRA_CA_CERTS|\w+_proxy|npm_config_(?!local_prefix).*)$/i.test(name),
  );
  return spawn("bash", ["--norc", "-c", script], {
    cwd: folder,
    env: Object.fromEntries(variables),
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
  const output = collect(child);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${output()}`);
  return output();
}

async function startAndWait(folder: string, script: string, progress: ProofTools["progress"]): Promise<ChildProcess> {
  const child = open(folder, script);
  const output = collect(child);
  for (let tries = 0; tries < 2_400 && !output().includes("Ctrl-C stops everything"); tries++) {
    if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode}:\n${output()}`);
    progress(output().trim().split("\n").at(-1) ?? "");
    await sleep(25);
  }
  return child;
}

/** Ctrl-C reaches npm and all processes that it started in the foreground. */
async function stop(child: ChildProcess, folder: string): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) {
    process.kill(-(child.pid ?? 0), "SIGINT");
    await once(child, "close");
  }
  return (await untilNoneIn(folder)).length;
}
