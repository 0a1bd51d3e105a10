import { sendPath } from "../../scripts/evidence/send-path.ts";
import { thirdPauseSeconds } from "../cell/waiting-times.ts";
import { injectFaults } from "./inject-faults.ts";
import type { Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

export const simulatorKills: Scenario = {
  promise: "a provider that is killed while it answers loses no send and doubles none",
  covers: sendPath,
  defaults: { sends: Number.POSITIVE_INFINITY, perSecond: 40, faults: 50 },
  run: (context) =>
    underLoad(context, async (cell, load) => {
      const kills = await injectFaults(context, load, async () => {
        await cell.simulator.up();
        return cell.simulator.signal("SIGKILL");
      });
      await cell.simulator.up();
      const findings = [{ what: "kills of the provider", value: kills, holds: kills === context.faults }];
      return { findings, notes: [], longestPauseSeconds: thirdPauseSeconds };
    }),
};
