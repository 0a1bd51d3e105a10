import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof } from "../../scripts/proof.ts";
import { tryExclusiveLock } from "../src/dev/file-lock.ts";
import { aDevFolder, type DevRun, startDev, untilNoneIn } from "../test/dev-run.ts";
import { createDice } from "./seeded-random.ts";

const fullSize = 20;
const stopMethods = ["Ctrl-C", "SIGTERM", "kill -9"] as const;
const startupKillMs = { least: 200, most: 4_000 };

/** Each round sends one mail, so that the next can check that the data of all earlier rounds exists. */
export const proof: Proof = {
  promise:
    "`postern dev` starts and stops repeatedly, by signal or kill, leaves no process, port or lock, and loses no data",
  size: { small: 3, full: fullSize },
  run: async (size, { progress }) => {
    const folder = aDevFolder();
    const times: number[] = [];
    const problems: string[] = [];
    const dice = createDice(7);
    const killedDuringStart = size === fullSize ? size / 2 : 1;
    try {
      for (let round = 0; round < size; round++) {
        const note = (problem: string) => problems.push(`round ${round + 1}: ${problem}`);
        if (round < killedDuringStart)
          await killDuringStart(folder, startupKillMs.least + dice.roll(startupKillMs.most - startupKillMs.least));
        const started = performance.now();
        const dev = startDev(folder);
        await dev.shows("Ready after");
        times.push(performance.now() - started);
        const stopMethod = stopMethods[round % stopMethods.length] ?? "Ctrl-C";
        progress(`round ${round + 1} of ${size}, to be stopped by ${stopMethod}`);
        const { url, key } = readScreen(dev.screen());
        const kept = await countSends(url, key);
        if (kept !== round) note(`${kept} of ${round} sends exist`);
        await sendOne(url, key);
        await stopDev(dev, stopMethod, note);
        await checkLeftovers(folder, url, note);
      }
    } finally {
      await untilNoneIn(folder);
      rmSync(folder, { recursive: true, force: true });
    }
    const sorted = times.toSorted((one, other) => one - other);
    const at = (share: number) => ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000).toFixed(1);
    return {
      figure:
        `${size} starts and stops by ${stopMethods.join(", ")} alternately, ${killedDuringStart} more killed during startup: ` +
        `${problems.length} problems (process, port or lock left, data lost, wrong exit code); ` +
        `to the prompt ${at(0)} s at least, ${at(0.5)} s median, ${at(1)} s at most${problems.map((each) => `\n  ${each}`).join("")}`,
      holds: problems.length === 0,
    };
  },
};

async function killDuringStart(folder: string, afterMs: number): Promise<void> {
  const dev = startDev(folder);
  await sleep(afterMs);
  dev.kill("SIGKILL");
  await dev.exited;
}

async function stopDev(
  dev: DevRun,
  stopMethod: (typeof stopMethods)[number],
  note: (problem: string) => void,
): Promise<void> {
  if (stopMethod === "Ctrl-C") dev.pressCtrlC();
  else dev.kill(stopMethod === "SIGTERM" ? "SIGTERM" : "SIGKILL");
  const code = await dev.exited;
  if (code !== (stopMethod === "kill -9" ? null : 0)) note(`exit code ${code}:\n${dev.screen()}`);
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
