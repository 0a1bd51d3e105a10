import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { programsOf } from "../../sdk/test/readme-programs.ts";
import { aDevFolder, untilNoneIn } from "../test/dev-run.ts";
import { type InstallWalk, type Step, time, walkInstallGuide } from "../test/install-guide.ts";
import { blocksUnder, openTerminal, root, type StartedCommand } from "../test/printed-commands.ts";

const expected = ["suppressed", "bounced", "delivered"];
const mostCommands = { "quick start": 4, SDK: 3, "run it": 6, simulator: 4 };

interface QuickWalk {
  statuses: string[];
  /** What the first example of the SDK printed. */
  example: string;
}

/** The size is the number of package installations. At 0 the proof links the packages of this clone in place of `npm ci`. */
export const proof: Proof = {
  promise: "The printed commands of the quick start, the SDK, the install guide and the simulator work as they stand",
  covers: [
    "README.md",
    "docs/install.md",
    "sdk/README.md",
    "sdk/package.json",
    "package.json",
    "service/src/cli",
    "service/src/processes",
    "service/src/db/create-database.ts",
    "service/src/dev",
    "ses-simulator/src",
    "service/test/install-guide.ts",
    "service/test/printed-commands.ts",
  ],
  size: { small: 0, full: 1 },
  run: async (size, { progress, serverUrl }) => {
    const folder = aDevFolder();
    const steps: Step[] = [];
    try {
      const clone = await installClone(folder, size, steps, progress);
      const install = () => walkInstallGuide({ serverUrl, withSimulator: true, clone });
      // Alone, so that the seconds are those of a person who runs one command after the other.
      const quick = size === 0 ? walkQuickStart(clone, steps, progress) : await walkQuickStart(clone, steps, progress);
      const [{ statuses, example }, guide] = await Promise.all([quick, install()]);
      steps.push(...guide.steps);
      const left = (await untilNoneIn(folder)).length;
      return describe({ steps, statuses, example, guide, left });
    } finally {
      await untilNoneIn(folder);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function describe({
  steps,
  statuses,
  example,
  guide,
  left,
}: QuickWalk & { steps: Step[]; guide: InstallWalk; left: number }) {
  const sections = Object.entries(mostCommands).map(([section, most]) => {
    const own = steps.filter((step) => step.section === section);
    const seconds = own.reduce((sum, step) => sum + step.seconds, 0);
    return { text: `${section}: ${own.length} commands, ${seconds.toFixed(0)} s`, isShort: own.length <= most };
  });
  const [sent] = guide.sends;
  const [domain] = guide.domains;
  const outcomes =
    `quick start ${statuses.join(", ")}; SDK example ${example.split(" ").at(-1)}; first mail ${sent?.status}; ` +
    `domain at the simulator ${domain?.verification_status}; ${left} processes left`;
  return {
    figure: `${sections.map(({ text }) => text).join("; ")}\n${outcomes}`,
    holds:
      sections.every(({ isShort }) => isShort) &&
      String(statuses) === String(expected) &&
      example.endsWith(" queued") &&
      sent?.status === "delivered" &&
      domain?.verification_status === "Success" &&
      left === 0,
  };
}

/** `git clone` and `npm ci` as printed; only the address of the repository is filled in. */
async function installClone(folder: string, size: number, steps: Step[], progress: ProofTools["progress"]) {
  const { clone, install } = readQuickStart();
  progress(clone);
  await time(steps, "quick start", clone, openTerminal(folder).run(clone.replace("ADDRESS", root)));
  const home = join(folder, "postern");
  copyUncommitted(home);
  progress(install);
  await time(steps, "quick start", install, size === 0 ? linkPackages(home) : openTerminal(home).run(install));
  return home;
}

/** A workspace has packages of its own where it needs another version. */
async function linkPackages(clone: string): Promise<string> {
  for (const folder of [".", ...packageJson.workspaces].map((workspace) => join(workspace, "node_modules"))) {
    if (existsSync(join(root, folder))) symlinkSync(join(root, folder), join(clone, folder));
  }
  return "";
}

/** A clone has only commits; the proof is about the files as they are now. */
function copyUncommitted(clone: string): void {
  const list = (...args: string[]) =>
    execFileSync("git", [...args, "-z"], { cwd: root, encoding: "utf8" })
      .split("\0")
      .filter((name) => name !== "");
  for (const file of [...list("diff", "--name-only", "HEAD"), ...list("ls-files", "--others", "--exclude-standard")]) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(clone, file));
    else rmSync(join(clone, file), { force: true });
  }
}

async function walkQuickStart(clone: string, steps: Step[], progress: ProofTools["progress"]): Promise<QuickWalk> {
  const { start, use } = readQuickStart();
  const terminal = openTerminal(clone);
  let dev: StartedCommand | undefined;
  try {
    progress(start);
    dev = await time(steps, "quick start", start, terminal.start(start, /Ctrl-C stops everything/));
    progress(use);
    const answer = await time(steps, "quick start", use, terminal.run(use));
    const statuses = [...answer.matchAll(/^"status":"(\w+)"$/gm)].map(([, status = ""]) => status);
    return { statuses, example: await runFirstExample(clone, steps, progress) };
  } finally {
    await dev?.stop();
  }
}

/** Installs the SDK as its README says, and runs the first example as printed with the settings of `postern dev`. */
async function runFirstExample(clone: string, steps: Step[], progress: ProofTools["progress"]): Promise<string> {
  const readme = readFileSync(join(root, "sdk/README.md"), "utf8");
  const [first] = programsOf(readme);
  const [, commands = ""] = /```console\n([\s\S]*?)```/.exec(readme) ?? [];
  const [build = "", install = ""] = commands.trim().split("\n");
  const project = join(clone, "../my-project");
  mkdirSync(project);
  writeFileSync(join(project, "first.ts"), first?.text ?? "");
  progress(build);
  await time(steps, "SDK", build, openTerminal(clone).run(build));
  await time(steps, "SDK", install, openTerminal(clone).run(install));
  const run = ". ../postern/.postern/env && node first.ts";
  return (await time(steps, "SDK", run, openTerminal(project).run(run))).trim();
}

function readQuickStart() {
  const [first = "", use = ""] = blocksUnder("README.md", "Quick start");
  const [clone = "", install = "", start = "", ...more] = first.split("\n");
  if (use === "" || more.length > 0)
    throw new Error("the quick start of the README does not have the form that this proof expects");
  return { clone, install, start, use };
}
