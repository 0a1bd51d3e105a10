import { measureInProcess } from "./measure-in-process.ts";
import type { TreeCosts } from "./measure-tree.ts";
import { type Cost, type Step, steps } from "./metered-connections.ts";

/**
 * Compares what checkouts of this repository make PostgreSQL write and touch per send: npm run bench:cost -- OLD NEW …
 *
 * Each checkout runs its own code on a server of its own. The counts hardly depend on the machine, so one run each is enough. The first
 * checkout is measured a second time at the end: the largest difference between its two runs is the noise.
 */
const trees = process.argv.slice(2);
const [first] = trees;
if (first === undefined || trees.length < 2) {
  console.error("Usage: npm run bench:cost -- OLD NEW …   (folders of checkouts, each with its own `npm ci`)");
  process.exit(64);
}

const sends = 800;
const measured: TreeCosts[] = [];
for (const tree of [...trees, first]) {
  console.error(`… measuring ${tree}`);
  measured.push(await measureInProcess(tree, sends));
}

const [old, ...others] = measured;
const sizes = { lone: "alone", batched: "in batches of 50" } as const;
const header = ["per send", first, ...trees.slice(1).flatMap((tree) => [tree, "ratio"]), "noise"];
const rows = steps.flatMap((step) =>
  (["lone", "batched"] as const).flatMap((size) =>
    (["walBytes", "blocks"] as const).map((what) => rowOf(step, size, what)),
  ),
);
for (const cells of [header, header.map(() => "---"), ...rows]) console.log(`| ${cells.join(" | ")} |`);

function rowOf(step: Step, size: keyof TreeCosts, what: keyof Cost): string[] {
  const of = (costs: TreeCosts | undefined) => costs?.[size][step][what] ?? Number.NaN;
  const digits = what === "blocks" ? 1 : 0;
  const compared = others
    .slice(0, -1)
    .flatMap((costs) => [of(costs).toFixed(digits), (of(costs) / of(old)).toFixed(3)]);
  const noise = `${(100 * Math.abs(of(others.at(-1)) / of(old) - 1)).toFixed(2)} %`;
  const name = `${step}, ${sizes[size]}: ${what === "blocks" ? "blocks touched" : "bytes of WAL"}`;
  return [name, of(old).toFixed(digits), ...compared, noise];
}
