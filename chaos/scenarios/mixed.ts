import { killUnderLoad } from "./kill-under-load.ts";
import type { Finding, Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

export const mixed: Scenario = {
  promise: "workers, APIs, the provider and PostgreSQL die in turn: 0 lost, 0 doubled",
  usual: { sends: 10_000, perSecond: 40, faults: 100 },
  run: (stage) =>
    underLoad(stage, async (cell, load) => {
      const one = <Item>(items: Item[]) => items[stage.dice.roll(items.length)];
      const strikes = [
        { what: "workers killed", strike: async () => one(cell.workers)?.signal("SIGKILL") ?? false },
        { what: "APIs killed", strike: async () => one(cell.apis)?.signal("SIGKILL") ?? false },
        { what: "kills of the provider", strike: async () => cell.simulator.signal("SIGKILL") },
        {
          what: "immediate stops of PostgreSQL",
          strike: async () => {
            await cell.postgres.stopImmediately();
            await cell.postgres.start();
            return true;
          },
        },
      ];
      const made = strikes.map(() => 0);
      let turn = 0;
      await killUnderLoad(stage, load, async () => {
        const number = turn++ % strikes.length;
        const hasMet = (await strikes[number]?.strike()) ?? false;
        if (hasMet) made[number] = (made[number] ?? 0) + 1;
        return hasMet;
      });
      await cell.simulator.up();
      const findings = strikes.map(({ what }, number): Finding => {
        const count = made[number] ?? 0;
        return { what, value: count, holds: count > 0 };
      });
      return { findings, notes: [] };
    }),
};
