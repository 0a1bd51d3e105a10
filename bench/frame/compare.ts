import { median, spread } from "./statistics.ts";

/** One measured thing: a yardstick, or ours. A run returns its figures; `rate` is what the ratio is made of. */
export interface Contender {
  name: string;
  run(round: number): Promise<Figures>;
}

export interface Figures {
  /** Work done in a second; more is better. */
  rate: number;
  /** Seconds of processor time for 1,000 of it, by part. */
  cpu?: Record<string, number>;
  notes?: Record<string, number>;
}

export interface Comparison {
  yardstick: string;
  rounds: Record<string, Figures[]>;
  /** Of each round: ours divided by the yardstick of the same round. */
  ratios: Record<string, { median: number; least: number; most: number }>;
}

/** Runs all in turn, round by round, so that a slow minute of the machine hits each of them. The first is the yardstick. */
export async function compare(
  contenders: [Contender, ...Contender[]],
  rounds: number,
  progress: (text: string) => void,
): Promise<Comparison> {
  const figures: Record<string, Figures[]> = {};
  for (let round = 0; round < rounds; round++) {
    // Whoever comes second finds the machine as the first left it: every other round goes the other way.
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const one = await run(round);
      figures[name] = [...(figures[name] ?? []), one];
      progress(`round ${round + 1} of ${rounds}, ${name}: ${Math.round(one.rate)} a second`);
    }
  }
  const [yardstick, ...ours] = contenders;
  const ratios = ours.map(({ name }) => {
    const each = (figures[name] ?? []).map(({ rate }, round) => rate / (figures[yardstick.name]?.[round]?.rate ?? 0));
    return [name, { median: median(each), ...spread(each) }] as const;
  });
  return { yardstick: yardstick.name, rounds: figures, ratios: Object.fromEntries(ratios) };
}
