import { sendPath } from "../../scripts/evidence/send-path.ts";
import { injectFaults } from "./inject-faults.ts";
import { Outages } from "./outages.ts";
import type { Scenario } from "./scenario.ts";
import { finishLoad, underLoad } from "./under-load.ts";

const timeoutSeconds = 30;

export const apiKills: Scenario = {
  promise: "no send that a killed API acknowledged is missing; the API answers again within ten seconds",
  covers: [...sendPath, "service/src/api/http"],
  defaults: { sends: Number.POSITIVE_INFINITY, perSecond: 50, faults: 100 },
  run: (context) =>
    underLoad(context, async (cell, load) => {
      const outages = new Outages();
      const kills = await injectFaults(context, load, async () => {
        const number = context.dice.roll(cell.apis.length);
        const api = cell.apis[number];
        await api?.up();
        await outages.untilOver(load, timeoutSeconds, number);
        const isKilled = api?.signal("SIGKILL") ?? false;
        if (isKilled) outages.begin(number);
        return isKilled;
      });
      await Promise.all(cell.apis.map((_, number) => outages.untilOver(load, timeoutSeconds, number)));
      await finishLoad(context, load);
      return {
        findings: [
          { what: "APIs killed", value: kills, holds: kills === context.faults },
          outages.finding("seconds from the kill of an API to its next 202", load.acknowledged(), 10),
        ],
        notes: [],
      };
    }),
};
