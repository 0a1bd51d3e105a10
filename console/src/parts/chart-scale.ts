/** The smallest scale of two to four steps, each 1, 1.5, 2, 2.5, 3, 5 or 6 times a power of ten, that holds the value. */
export function countScale(largest: number): { top: number; ticks: number[] } {
  const aim = Math.max(1, largest);
  let best: { top: number; steps: number } | undefined;
  for (const steps of [2, 3, 4]) {
    const step = niceStep(aim / steps);
    const top = step * steps;
    if (best === undefined || top < best.top) best = { top, steps };
  }
  const { top, steps } = best ?? { top: aim, steps: 1 };
  return { top, ticks: Array.from({ length: steps + 1 }, (_, index) => (top / steps) * index) };
}

function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, atLeast)));
  for (const factor of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) {
    const step = factor * power;
    // Counts have no halves.
    if (step >= atLeast && Number.isInteger(step)) return step;
  }
  return 10 * power;
}

/** Indexes of the bars that get an axis label: the first of each day, or every few hours, at most `most` of them. */
export function labelledBars(starts: number[], most: number, dayOf: (at: number) => string): number[] {
  const days = starts.flatMap((at, index) =>
    index === 0 || dayOf(at) !== dayOf(starts[index - 1] ?? at) ? [index] : [],
  );
  const candidates = days.length > 2 ? days : starts.map((_, index) => index);
  const every = Math.ceil(candidates.length / Math.max(1, most));
  return candidates.filter((_, index) => index % every === 0);
}
