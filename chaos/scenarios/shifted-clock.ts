import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Finding, Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/** Shifts the wall clock by ten minutes. The monotonic clock stays correct, as on a machine with a wrong clock. */
function shifted(by: "+10m" | "-10m") {
  return { LD_PRELOAD: library, FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" };
}

export const shiftedClock: Scenario = {
  promise: "an API ten minutes ahead and a worker ten minutes behind lose no send and double none",
  covers: sendPath,
  defaults: { sends: Number.POSITIVE_INFINITY, perSecond: 50, faults: 2 },
  async run(context) {
    if (!existsSync(library)) throw new Error("libfaketime is missing: apt-get install faketime");
    return underLoad(context, async (cell, load) => {
      const [api, worker] = [cell.apis[0], cell.workers[0]];
      api?.changeEnvironment(shifted("+10m"));
      worker?.changeEnvironment(shifted("-10m"));
      await Promise.all([api?.killAndWait(), worker?.killAndWait()]);
      const shiftedAt = Date.now();
      await sleep(context.faultSeconds * 1000);
      await load.finish();
      const byShiftedApi = load.acknowledged().filter(({ api: number, at }) => number === 0 && at > shiftedAt).length;
      return {
        findings: [
          { what: "sends acknowledged by the API that is ahead", value: byShiftedApi, holds: byShiftedApi > 0 },
          ...clockFindings(cell.folder),
        ],
        notes: [],
      };
    });
  },
};

/** Checks that the two processes had the shifted time and worked with it. */
function clockFindings(folder: string): Finding[] {
  const linesOf = (name: string) =>
    readFileSync(join(folder, `${name}.log`), "utf8")
      .trim()
      .split("\n");
  const shiftOf = (name: string) => {
    const { time }: { time: string } = JSON.parse(linesOf(name).at(-1) ?? "{}");
    return Math.round((Date.parse(time) - Date.now()) / 1000);
  };
  const [ahead, behind] = [shiftOf("api-0"), shiftOf("worker-0")];
  const submitted = linesOf("worker-0").filter((line) => {
    const { event, time }: { event?: string; time?: string } = line.startsWith("{") ? JSON.parse(line) : {};
    return event === "delivery.attempted" && Date.parse(time ?? "") < Date.now() - 400_000;
  }).length;
  return [
    { what: "seconds the API is ahead", value: ahead, holds: ahead > 500 },
    { what: "seconds the worker is behind", value: -behind, holds: behind < -500 },
    { what: "sends submitted by the worker that is behind", value: submitted, holds: submitted > 0 },
  ];
}
