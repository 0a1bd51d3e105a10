import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import { injectFaults } from "./inject-faults.ts";
import { Outages } from "./outages.ts";
import type { Scenario } from "./scenario.ts";
import { finishLoad, underLoad } from "./under-load.ts";

const longestDownMs = 2_000;
const timeoutSeconds = 30;

export const postgresStops: Scenario = {
  promise:
    "acknowledged sends survive an immediate stop of PostgreSQL; the API answers 202 within ten seconds of its restart",
  covers: [...sendPath, "service/src/api/http"],
  defaults: { sends: Number.POSITIVE_INFINITY, perSecond: 40, faults: 50 },
  run: (context) =>
    underLoad(context, async (cell, load) => {
      const outages = new Outages();
      const stops = await injectFaults(context, load, async () => {
        await outages.untilOver(load, timeoutSeconds);
        await cell.postgres.stopImmediately();
        await sleep(context.dice.roll(longestDownMs));
        outages.begin();
        await cell.postgres.start();
        return true;
      });
      await outages.untilOver(load, timeoutSeconds);
      await finishLoad(context, load);
      return {
        findings: [
          { what: "immediate stops of PostgreSQL", value: stops, holds: stops === context.faults },
          outages.finding("seconds from its restart to the next 202", load.acknowledged(), 10),
        ],
        notes: [],
      };
    }),
};
