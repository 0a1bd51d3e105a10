import { sendPath } from "../../scripts/evidence/send-path.ts";
import { injectFaults } from "./inject-faults.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

export const workerKills: Scenario = {
  promise: "a worker killed at any moment loses no send and doubles none",
  covers: sendPath,
  defaults: { sends: 20_000, perSecond: 80, faults: 200 },
  run: (context) =>
    underLoad(context, async (cell, load) => {
      const kills = await injectFaults(context, load, async () => {
        const worker = cell.workers[context.dice.roll(cell.workers.length)];
        return worker?.signal("SIGKILL") ?? false;
      });
      return { findings: [{ what: "workers killed", value: kills, holds: kills === context.faults }], notes: [] };
    }),
};
