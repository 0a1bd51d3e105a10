import { thirdPauseSeconds } from "../cell/waiting-times.ts";
import { killUnderLoad } from "./kill-under-load.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

export const simulatorKills: Scenario = {
  promise: "a provider that vanishes in the middle of answers loses no send and doubles none",
  usual: { sends: Number.POSITIVE_INFINITY, perSecond: 40, faults: 50 },
  run: (stage) =>
    underLoad(stage, async (cell, load) => {
      const kills = await killUnderLoad(stage, load, async () => {
        await cell.simulator.up();
        return cell.simulator.signal("SIGKILL");
      });
      await cell.simulator.up();
      const findings = [{ what: "kills of the provider", value: kills, holds: kills === stage.faults }];
      return { findings, notes: [], longestPauseSeconds: thirdPauseSeconds };
    }),
};
