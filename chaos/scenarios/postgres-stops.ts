import { setTimeout as sleep } from "node:timers/promises";
import { killUnderLoad } from "./kill-under-load.ts";
import { Outages } from "./outages.ts";
import type { Scenario } from "./scenario.ts";
import { finishLoad, underLoad } from "./under-load.ts";

const longestAwayMs = 2_000;
const patienceSeconds = 30;

export const postgresStops: Scenario = {
  promise:
    "what was acknowledged survives an immediate stop of PostgreSQL; 202 again within ten seconds of its restart",
  usual: { sends: Number.POSITIVE_INFINITY, perSecond: 40, faults: 50 },
  run: (stage) =>
    underLoad(stage, async (cell, load) => {
      const outages = new Outages();
      const stops = await killUnderLoad(stage, load, async () => {
        await outages.untilOver(load, patienceSeconds);
        await cell.postgres.stopImmediately();
        await sleep(stage.dice.roll(longestAwayMs));
        outages.began();
        await cell.postgres.start();
        return true;
      });
      await outages.untilOver(load, patienceSeconds);
      await finishLoad(stage, load);
      return {
        findings: [
          { what: "immediate stops of PostgreSQL", value: stops, holds: stops === stage.faults },
          outages.finding("seconds from its restart to the next 202", load.acknowledged(), 10),
        ],
        notes: [],
      };
    }),
};
