export function median(values: number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const position = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Half of the values are between the two. One slow round moves the lowest and highest value, but hardly the quartiles. */
export interface Quartiles {
  lower: number;
  upper: number;
}

export function quartiles(values: number[]): Quartiles {
  return { lower: quantile(values, 0.25), upper: quantile(values, 0.75) };
}

export function spread(values: number[]): { least: number; most: number } {
  return { least: Math.min(...values), most: Math.max(...values) };
}
