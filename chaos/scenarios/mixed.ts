import { sendPath } from "../../scripts/evidence/send-path.ts";
import { injectFaults } from "./inject-faults.ts";
import type { Finding, Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

export const mixed: Scenario = {
  promise: "workers, APIs, the provider and PostgreSQL are killed alternately: 0 lost, 0 doubled",
  covers: [...sendPath, "service/src/api/http"],
  defaults: { sends: 10_000, perSecond: 40, faults: 100 },
  run: (context) =>
    underLoad(context, async (cell, load) => {
      const one = <Item>(items: Item[]) => items[context.dice.roll(items.length)];
      const kinds = [
        { what: "workers killed", inject: async () => one(cell.workers)?.signal("SIGKILL") ?? false },
        { what: "APIs killed", inject: async () => one(cell.apis)?.signal("SIGKILL") ?? false },
        { what: "kills of the provider", inject: async () => cell.simulator.signal("SIGKILL") },
        {
          what: "immediate stops of PostgreSQL",
          inject: async () => {
            await cell.postgres.stopImmediately();
            await cell.postgres.start();
            return true;
          },
        },
      ];
      const counts = kinds.map(() => 0);
      let next = 0;
      await injectFaults(context, load, async () => {
        const number = next++ % kinds.length;
        const wasInjected = (await kinds[number]?.inject()) ?? false;
        if (wasInjected) counts[number] = (counts[number] ?? 0) + 1;
        return wasInjected;
      });
      await cell.simulator.up();
      const findings = kinds.map(({ what }, number): Finding => {
        const count = counts[number] ?? 0;
        return { what, value: count, holds: count > 0 };
      });
      return { findings, notes: [] };
    }),
};
