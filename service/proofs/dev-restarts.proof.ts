import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import packageJson from "../../package.json" with { type: "json" };
import type { Proof } from "../../scripts/proof.ts";
import { tryExclusiveLock } from "../src/dev/file-lock.ts";
import { aDevFolder, type DevRun, startDev, untilNoneIn } from "../test/dev-run.ts";
import { createDice } from "./seeded-random.ts";

const stopMethods = ["npm SIGKILL", "shell SIGKILL", "Ctrl-C", "npm SIGTERM", "node SIGKILL", "SIGTERM"] as const;
type StopMethod = (typeof stopMethods)[number];
const roundsOfEach = 10;
const startupKillMs = { least: 200, most: 4_000 };

/**
 * Each round sends one mail, so that the next can check that the data of all earlier rounds exists. Four of the six methods stop
 * `npm run dev`: they signal npm, its shell, or the process that npm runs.
 */
export const proof: Proof = {
  promise:
    "`postern dev` starts and stops repeatedly, also when npm or its shell is killed, leaves no process, port or lock, and loses no data",
  covers: ["package.json", "service/src/cli", "service/src/dev", "service/src/processes", "service/test/dev-run.ts"],
  size: { small: 3, full: roundsOfEach * stopMethods.length },
  run: async (size, { progress }) => {
    const folder = aDevFolder();
    const times: number[] = [];
    const problems: string[] = [];
    const dice = createDice(7);
    const repetitions = Math.ceil(size / stopMethods.length);
    try {
      for (let round = 0; round < size; round++) {
        const note = (problem: string) => problems.push(`round ${round + 1}: ${problem}`);
        const stopMethod = stopMethods[round % stopMethods.length] ?? "Ctrl-C";
        if (round < repetitions)
          await killDuringStart(folder, startupKillMs.least + dice.roll(startupKillMs.most - startupKillMs.least));
        const started = performance.now();
        const dev = startBy(stopMethod, folder);
        await dev.shows("Ready after");
        times.push(performance.now() - started);
        progress(`round ${round + 1} of ${size}, to be stopped by ${stopMethod}`);
        const { url, key } = readScreen(dev.screen());
        const kept = await countSends(url, key);
        if (kept !== round) note(`${kept} of ${round} sends exist`);
        await sendOne(url, key);
        await stopDev(dev, stopMethod, note);
        await checkLeftovers(folder, url, note);
      }
      for (let pair = 0; pair < repetitions; pair++) {
        progress(`pair ${pair + 1} of ${repetitions}`);
        await startTogether(folder, (problem) => problems.push(`pair ${pair + 1}: ${problem}`));
      }
    } finally {
      await untilNoneIn(folder);
      rmSync(folder, { recursive: true, force: true });
    }
    const sorted = times.toSorted((one, other) => one - other);
    const at = (share: number) => ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000).toFixed(1);
    return {
      figure:
        `${size} starts and stops by ${stopMethods.join(", ")} alternately, ${repetitions} more killed during startup, ` +
        `${repetitions} pairs of simultaneous starts in two folders and in one: ` +
        `${problems.length} problems (process, port or lock left, data lost, wrong exit code, port used twice); ` +
        `to the prompt ${at(0)} s at least, ${at(0.5)} s median, ${at(1)} s at most${problems.map((each) => `\n  ${each}`).join("")}`,
      holds: problems.length === 0,
    };
  },
};

/** `npm run dev` as in this repository, but in `folder`. */
function startBy(stopMethod: StopMethod, folder: string): DevRun {
  if (stopMethod === "Ctrl-C" || stopMethod === "SIGTERM") return startDev(folder);
  return startWithNpm(folder);
}

function startWithNpm(folder: string): DevRun {
  const dev = packageJson.scripts.dev.replace("service/", new URL("../", import.meta.url).pathname);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { dev } }));
  return startDev(folder, [], ["npm", "run"]);
}

async function killDuringStart(folder: string, afterMs: number): Promise<void> {
  const dev = startWithNpm(folder);
  await sleep(afterMs);
  dev.kill("SIGKILL");
  await dev.exited;
  await untilNoneIn(folder);
}

async function stopDev(dev: DevRun, stopMethod: StopMethod, note: (problem: string) => void): Promise<void> {
  const shell = childOf(dev.pid);
  switch (stopMethod) {
    case "Ctrl-C":
      dev.pressCtrlC();
      break;
    case "SIGTERM":
    case "npm SIGTERM":
      dev.kill("SIGTERM");
      break;
    case "npm SIGKILL":
      dev.kill("SIGKILL");
      break;
    case "shell SIGKILL":
      process.kill(shell, "SIGKILL");
      break;
    case "node SIGKILL":
      process.kill(childOf(shell) || shell, "SIGKILL");
      break;
  }
  const code = await dev.exited;
  const isClean = stopMethod === "Ctrl-C" || stopMethod === "SIGTERM";
  if (isClean && code !== 0) note(`exit code ${code}:\n${dev.screen()}`);
}

/** 0 when the process has no child. */
function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return Number(child);
}

/** Two folders get different ports; of two starts in one folder, one explains the conflict and exits. */
async function startTogether(folder: string, note: (problem: string) => void): Promise<void> {
  const other = aDevFolder();
  const runs = [startDev(folder), startDev(other), startDev(folder)];
  const isReady = runs.map((run) =>
    run.shows("Ready after").then(
      () => true,
      () => false,
    ),
  );
  const [one, two, three] = await Promise.all(isReady);
  const refused = one === true ? runs[2] : runs[0];
  if (two !== true || one === three) note(runs.map((run) => run.screen()).join("\n---\n"));
  if (refused?.screen().includes("Another `postern dev` uses") !== true) note("the second start names no conflict");
  const addresses = runs.flatMap((run) =>
    [...run.screen().matchAll(/^ {2}(?:API|Mail view) +(\S+)/gm)].map(([, url]) => url),
  );
  if (new Set(addresses).size !== 4) note(`addresses ${addresses.join(", ")}`);
  for (const [index, run] of runs.entries()) if ([one, two, three][index] === true) run.pressCtrlC();
  await Promise.all(runs.map((run) => run.exited));
  const left = [...(await untilNoneIn(folder)), ...(await untilNoneIn(other))];
  if (left.length > 0) note(`processes ${left.join(", ")} still run`);
  rmSync(other, { recursive: true, force: true });
}

async function checkLeftovers(folder: string, url: string, note: (problem: string) => void): Promise<void> {
  const left = await untilNoneIn(folder);
  if (left.length > 0) note(`processes ${left.join(", ")} still run`);
  if (await isListening(Number(new URL(url).port))) note(`${url} still accepts connections`);
  for (const name of ["lock", "processes.lock"]) {
    const lock = tryExclusiveLock(join(folder, ".postern", name));
    if (lock === undefined) note(`${name} is still held`);
    lock?.release();
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

function readScreen(screen: string): { url: string; key: string } {
  const [, url = ""] = /^ {2}API +(\S+)$/m.exec(screen) ?? [];
  const [, key = ""] = /^KEY=(\S+)$/m.exec(screen) ?? [];
  return { url, key };
}

async function countSends(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/sends?limit=100`, { headers: { "x-api-key": key } });
  const body: { data: { sends: unknown[] } } = JSON.parse(await response.text());
  return body.data.sends.length;
}

async function sendOne(url: string, key: string): Promise<void> {
  const { status } = await fetch(`${url}/api/v1/send`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ from: "a@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hello", text: "Hello" }),
  });
  if (status !== 202) throw new Error(`a send was answered ${status}`);
}
