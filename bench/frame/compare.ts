import { median, type Quartiles, quartiles } from "./statistics.ts";

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

export interface Ratio extends Quartiles {
  median: number;
}

export interface Comparison {
  baseline: string;
  rounds: Record<string, Figures[]>;
  /** The contender's rate divided by that of the baseline in the same round. */
  ratios: Record<string, Ratio>;
}

/**
 * The A/A row: the same baseline measured a second time in every round. How far its ratio is from 1, and how far its quartiles are
 * apart, is the noise of the comparison.
 */
export function again({ name, run }: Contender): Contender {
  return { name: `${name} again`, run };
}

/**
 * Interleaves the contenders round by round, so that a slow minute of the machine affects each of them. The first is the baseline.
 * `prepare` runs before each measurement.
 */
export async function compare(
  contenders: [Contender, ...Contender[]],
  rounds: number,
  progress: (text: string) => void,
  prepare: () => Promise<void> = async () => undefined,
): Promise<Comparison> {
  const figures: Record<string, Figures[]> = {};
  for (let round = 0; round < rounds; round++) {
    // A contender starts with the caches and dirty pages that the previous one left, so every other round reverses the order.
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      await prepare();
      const one = await run(round);
      figures[name] = [...(figures[name] ?? []), one];
      progress(`round ${round + 1} of ${rounds}, ${name}: ${Math.round(one.rate)} per second`);
    }
  }
  const [baseline, ...others] = contenders;
  const ratios = others.map(({ name }) => [name, ratioOf(figures, name, baseline.name)] as const);
  return { baseline: baseline.name, rounds: figures, ratios: Object.fromEntries(ratios) };
}

/** The rate of one contender divided by that of another in the same round. */
export function ratioOf(rounds: Comparison["rounds"], name: string, other: string): Ratio {
  const each = (rounds[name] ?? []).map(({ rate }, round) => rate / (rounds[other]?.[round]?.rate ?? 0));
  return { median: median(each), ...quartiles(each) };
}
