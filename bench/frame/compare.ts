import { median, spread } from "./statistics.ts";

/** One implementation under measurement: the baseline or Postern. The ratio compares the `rate` of their figures. */
export interface Contender {
  name: string;
  run(round: number): Promise<Figures>;
}

export interface Figures {
  /** Work done per second; more is better. */
  rate: number;
  /** CPU seconds per 1,000 units of work, by process. */
  cpu?: Record<string, number>;
  notes?: Record<string, number>;
}

export interface Comparison {
  baseline: string;
  rounds: Record<string, Figures[]>;
  /** The contender's rate divided by that of the baseline in the same round. */
  ratios: Record<string, { median: number; least: number; most: number }>;
}

/** Interleaves the contenders round by round, so that a slow minute of the machine affects each of them. The first is the baseline. */
export async function compare(
  contenders: [Contender, ...Contender[]],
  rounds: number,
  progress: (text: string) => void,
): Promise<Comparison> {
  const figures: Record<string, Figures[]> = {};
  for (let round = 0; round < rounds; round++) {
    // A contender starts with the caches and dirty pages that the previous one left, so every other round reverses the order.
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const one = await run(round);
      figures[name] = [...(figures[name] ?? []), one];
      progress(`round ${round + 1} of ${rounds}, ${name}: ${Math.round(one.rate)} per second`);
    }
  }
  const [baseline, ...others] = contenders;
  const ratios = others.map(({ name }) => {
    const each = (figures[name] ?? []).map(({ rate }, round) => rate / (figures[baseline.name]?.[round]?.rate ?? 0));
    return [name, { median: median(each), ...spread(each) }] as const;
  });
  return { baseline: baseline.name, rounds: figures, ratios: Object.fromEntries(ratios) };
}
