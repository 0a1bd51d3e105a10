import { type Bench, fewLongRounds } from "../frame/bench.ts";
import { type Contender, compare } from "../frame/compare.ts";
import type { DatasetSize } from "./dataset.ts";
import { type GrowthLimit, growthBounds, heldBounds } from "./growth-bounds.ts";
import { withLoadedServer } from "./growth-server.ts";
import { holdSnapshot } from "./held-snapshot.ts";
import { type LoadedDataset, loadDataset } from "./load-dataset.ts";
import { measureDataset } from "./measure-dataset.ts";
import { projectedBlocks } from "./projection.ts";

interface Plan {
  sizes: DatasetSize[];
  /** Per round and dataset. */
  sends: number;
  queries: number;
  limits: GrowthLimit[];
  heldSeconds: number;
  heldAtMost: number;
}

const tenThousand: DatasetSize = { name: "10 thousand", sends: 10_000, partitions: "months" };
const hundredThousand: DatasetSize = { name: "100 thousand", sends: 100_000, partitions: "months" };
const oneMillion: DatasetSize = { name: "1 million", sends: 1_000_000, partitions: "months" };
const tenMillion: DatasetSize = { name: "10 million", sends: 10_000_000, partitions: "months" };
const manyPartitions: DatasetSize = { name: "1 million in 200 partitions", sends: 1_000_000, partitions: "200 weeks" };

const full: Plan = {
  sizes: [tenThousand, oneMillion, tenMillion, manyPartitions],
  sends: 6_000,
  queries: 2_000,
  limits: [
    { from: oneMillion.name, to: tenMillion.name, atMost: 1.25, searchAtMost: 1.5 },
    { from: tenThousand.name, to: tenMillion.name, atMost: 1.6, searchAtMost: 2.5 },
    { from: oneMillion.name, to: manyPartitions.name, atMost: 1.6, searchAtMost: 1.6 },
  ],
  heldSeconds: 600,
  heldAtMost: 2,
};

/** Lenient, because CI machines are busy: it detects a table scan, not a growth of 10 %. */
const quick: Plan = {
  sizes: [tenThousand, hundredThousand],
  sends: 640,
  queries: 100,
  limits: [{ from: tenThousand.name, to: hundredThousand.name, atMost: 2, searchAtMost: 2 }],
  heldSeconds: 15,
  heldAtMost: 10,
};

export const growth: Bench = {
  name: "growth",
  description:
    "what the same work costs PostgreSQL with a thousand times as many stored sends, and under a snapshot kept open",
  isLong: true,
  fullSize: fewLongRounds,
  covers: [
    "service/migrations",
    "service/src/accept",
    "service/src/db",
    "service/src/events",
    "service/src/feedback",
    "service/src/queue",
    "service/src/sends",
    "service/src/storage",
    "service/src/suppressions",
    "service/src/usage",
    "service/src/webhooks",
  ],
  run: async ({ isQuick, rounds, progress }) => {
    const plan = isQuick ? quick : full;
    const load = (serverUrl: string) => loadAll(serverUrl, plan, rounds, progress);
    return withLoadedServer(load, async (serverUrl, datasets) => {
      const contenders = datasets.map((dataset) => ({
        name: dataset.name,
        run: (round: number) => measureDataset(serverUrl, dataset, round, { ...plan, rounds }),
      }));
      // Each plan has at least two datasets.
      const comparison = await compare(contenders as [Contender, ...Contender[]], rounds, progress);
      progress(`holding a snapshot for ${plan.heldSeconds} s`);
      const held = await holdSnapshot(serverUrl, datasets[1] as LoadedDataset, plan.heldSeconds);
      return {
        comparisons: { "stored sends": comparison },
        // Each dead index entry of the last second costs a claim one touched block.
        findings: {
          "blocks touched by a claim per send, without a snapshot kept open": held.before.touched,
          "blocks touched by a claim per send, under a snapshot kept open": held.atEnd.touched,
          ...projectedBlocks(comparison, plan.sizes),
        },
        details: { held },
        goals: [...growthBounds(comparison, plan.limits), ...heldBounds(held, plan.heldSeconds, plan.heldAtMost)],
      };
    });
  },
};

async function loadAll(serverUrl: string, { sizes }: Plan, rounds: number, progress: (text: string) => void) {
  const datasets: LoadedDataset[] = [];
  for (const size of sizes) {
    const begun = performance.now();
    datasets.push(await loadDataset(serverUrl, size, rounds));
    progress(`${size.name} sends loaded in ${Math.round((performance.now() - begun) / 1000)} s`);
  }
  return datasets;
}
