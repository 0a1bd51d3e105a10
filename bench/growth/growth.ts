import type { Bench } from "../frame/bench.ts";
import { type Contender, compare } from "../frame/compare.ts";
import { type GrowthLimit, growthBounds, heldBounds } from "./growth-bounds.ts";
import { withLoadedServer } from "./growth-server.ts";
import { holdSnapshot } from "./held-snapshot.ts";
import { type LoadedWorld, loadWorld } from "./load-world.ts";
import { pressWorld } from "./press-world.ts";
import type { WorldSize } from "./world.ts";

interface Plan {
  sizes: WorldSize[];
  /** Of one round with one world. */
  sends: number;
  questions: number;
  limits: GrowthLimit[];
  heldSeconds: number;
  heldAtMost: number;
}

const tenThousand: WorldSize = { name: "10 thousand", sends: 10_000, partitions: "months" };
const hundredThousand: WorldSize = { name: "100 thousand", sends: 100_000, partitions: "months" };
const oneMillion: WorldSize = { name: "1 million", sends: 1_000_000, partitions: "months" };
const tenMillion: WorldSize = { name: "10 million", sends: 10_000_000, partitions: "months" };
const manyPartitions: WorldSize = { name: "1 million in 200 partitions", sends: 1_000_000, partitions: "200 weeks" };

const full: Plan = {
  sizes: [tenThousand, oneMillion, tenMillion, manyPartitions],
  sends: 6_000,
  questions: 2_000,
  limits: [
    { from: oneMillion.name, to: tenMillion.name, atMost: 1.25 },
    { from: tenThousand.name, to: tenMillion.name, atMost: 1.6 },
    { from: oneMillion.name, to: manyPartitions.name, atMost: 1.6 },
  ],
  heldSeconds: 600,
  heldAtMost: 2,
};

/** Lenient: it runs on machines that do other things too, and is to notice a scan, not a tenth more. */
const quick: Plan = {
  sizes: [tenThousand, hundredThousand],
  sends: 640,
  questions: 100,
  limits: [{ from: tenThousand.name, to: hundredThousand.name, atMost: 2 }],
  heldSeconds: 15,
  heldAtMost: 10,
};

export const growth: Bench = {
  name: "growth",
  asks: "what the same work costs PostgreSQL when a thousand times as much is stored, and under a held snapshot",
  run: async ({ isQuick, rounds, progress }) => {
    const plan = isQuick ? quick : full;
    const load = (serverUrl: string) => loadAll(serverUrl, plan, rounds, progress);
    return withLoadedServer(load, async (serverUrl, worlds) => {
      const contenders = worlds.map((world) => ({
        name: world.name,
        run: (round: number) => pressWorld(serverUrl, world, round, { ...plan, rounds }),
      }));
      // There are at least two, as each plan has them.
      const whole = await compare(contenders as [Contender, ...Contender[]], rounds, progress);
      progress(`a snapshot is held for ${plan.heldSeconds} s`);
      const held = await holdSnapshot(serverUrl, worlds[1] as LoadedWorld, plan.heldSeconds);
      return {
        comparisons: { "stored sends": whole },
        // Each dead entry of the last second is a block that is looked at, and no more than that.
        findings: {
          "blocks touched by a claim for a send, without a held snapshot": held.before.touched,
          "the same at the end of one": held.atTheEnd.touched,
        },
        details: { held },
        judged: [...growthBounds(whole, plan.limits), ...heldBounds(held, plan.heldSeconds, plan.heldAtMost)],
      };
    });
  },
};

async function loadAll(serverUrl: string, { sizes }: Plan, rounds: number, progress: (text: string) => void) {
  const worlds: LoadedWorld[] = [];
  for (const size of sizes) {
    const begun = performance.now();
    worlds.push(await loadWorld(serverUrl, size, rounds));
    progress(`${size.name} sends loaded in ${Math.round((performance.now() - begun) / 1000)} s`);
  }
  return worlds;
}
