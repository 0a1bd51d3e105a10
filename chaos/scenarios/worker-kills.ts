import { killUnderLoad } from "./kill-under-load.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

export const workerKills: Scenario = {
  promise: "a worker killed at any moment loses no send and doubles none",
  usual: { sends: 20_000, perSecond: 80, faults: 200 },
  run: (stage) =>
    underLoad(stage, async (cell, load) => {
      const kills = await killUnderLoad(stage, load, async () => {
        const worker = cell.workers[stage.dice.roll(cell.workers.length)];
        return worker?.signal("SIGKILL") ?? false;
      });
      return { findings: [{ what: "workers killed", value: kills, holds: kills === stage.faults }], notes: [] };
    }),
};
