import { killUnderLoad } from "./kill-under-load.ts";
import { Outages } from "./outages.ts";
import type { Scenario } from "./scenario.ts";
import { finishLoad, underLoad } from "./under-load.ts";

const patienceSeconds = 30;

export const apiKills: Scenario = {
  promise: "what an API acknowledged before it was killed is there; it answers again within ten seconds",
  usual: { sends: Number.POSITIVE_INFINITY, perSecond: 50, faults: 100 },
  run: (stage) =>
    underLoad(stage, async (cell, load) => {
      const outages = new Outages();
      const kills = await killUnderLoad(stage, load, async () => {
        const number = stage.dice.roll(cell.apis.length);
        const api = cell.apis[number];
        await api?.up();
        await outages.untilOver(load, patienceSeconds, number);
        const isKilled = api?.signal("SIGKILL") ?? false;
        if (isKilled) outages.began(number);
        return isKilled;
      });
      await Promise.all(cell.apis.map((_, number) => outages.untilOver(load, patienceSeconds, number)));
      await finishLoad(stage, load);
      return {
        findings: [
          { what: "APIs killed", value: kills, holds: kills === stage.faults },
          outages.finding("seconds from the kill of an API to its next 202", load.acknowledged(), 10),
        ],
        notes: [],
      };
    }),
};
