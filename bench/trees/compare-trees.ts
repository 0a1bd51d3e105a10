import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { median, spread } from "../frame/statistics.ts";

/**
 * Compares checkouts of this repository: npm run bench:trees -- BENCH ROUNDS TREE TREE …
 *
 * Each round runs the quick bench of every tree, one after the other, in alternating order. Every run measures Postern and the same
 * baseline, so the figure of a run is a ratio, and a slow minute of the machine affects both sides of it. Name the first tree twice
 * (old new old): the difference between its two figures is the noise. Every tree needs its own `npm ci`. Trees from before and after
 * 2026-11-18 have different baselines of `accept`, so do not compare them with it.
 */
const [bench = "", roundsText = "", ...trees] = process.argv.slice(2);
const rounds = Number(roundsText);
if (!(rounds > 0) || trees.length < 2 || !["accept", "drain", "feedback"].includes(bench)) {
  console.error("Usage: npm run bench:trees -- accept | drain | feedback ROUNDS TREE TREE …");
  process.exit(64);
}

const ratios: number[][] = trees.map(() => []);
for (let round = 0; round < rounds; round++) {
  const order = [...trees.keys()];
  for (const index of round % 2 === 0 ? order : order.toReversed()) {
    const ratio = await ratioOf(trees[index] ?? "");
    ratios[index]?.push(ratio);
    console.log(`round ${round + 1} of ${rounds}, ${trees[index]}: ${ratio.toFixed(3)} of the baseline`);
  }
}

const [first = []] = ratios;
for (const [index, each] of ratios.entries()) {
  const { least, most } = spread(each);
  const change = (100 * (median(each) / median(first) - 1)).toFixed(1);
  console.log(
    `${bench}, ${trees[index]}: median ${median(each).toFixed(3)} (${least.toFixed(3)} to ${most.toFixed(3)}), ` +
      `${change} % compared with the first tree, n = ${each.length} runs`,
  );
}

/** The median over the rounds of one quick run: the rate of Postern divided by the rate of the baseline. */
async function ratioOf(tree: string): Promise<number> {
  const child = spawn(process.execPath, [join(resolve(tree), "bench/run.ts"), bench, "quick"], {
    cwd: resolve(tree),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(child, "close");
  // Trees before 2026-11-16 print "a second".
  const lines = [...output.matchAll(/round (\d+) of \d+, (baseline|plain|postern): (\d+) (?:per|a) second/g)];
  const rateOf = (round: string, isPostern: boolean) =>
    Number(lines.find(([, at, name]) => at === round && (name === "postern") === isPostern)?.[3]);
  const each = [...new Set(lines.map(([, round = ""]) => round))].map(
    (round) => rateOf(round, true) / rateOf(round, false),
  );
  if (each.length === 0 || each.some(Number.isNaN)) throw new Error(`${tree}: the bench printed no rates\n${output}`);
  return median(each);
}
