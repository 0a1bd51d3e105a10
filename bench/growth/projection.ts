import type { Comparison } from "../frame/compare.ts";
import { median } from "../frame/statistics.ts";
import type { DatasetSize } from "./dataset.ts";
import { bounded, touchedBy } from "./growth-bounds.ts";

export const projectedSends = 100_000_000;

/**
 * Blocks touched with 100 million sends. Not measured: an extrapolation from the datasets in months, by the line that fits their medians
 * best over the logarithm of their sends. Indexes grow in that way, one level at a time.
 */
export function projectedBlocks({ rounds }: Comparison, sizes: DatasetSize[]): Record<string, number> {
  const measured = sizes.filter(({ partitions }) => partitions === "months");
  const from = measured.map(({ name }) => name).join(", ");
  return Object.fromEntries(
    bounded.map((what) => {
      const points = measured.map(({ name, sends }): [number, number] => [
        Math.log10(sends),
        median((rounds[name] ?? []).map(({ notes }) => notes?.[touchedBy(what)] ?? Number.NaN)),
      ]);
      const blocks = onFittedLine(points, Math.log10(projectedSends));
      return [
        `blocks touched by ${what} with 100 million sends, extrapolated from ${from}`,
        Math.round(blocks * 10) / 10,
      ];
    }),
  );
}

/** Least squares. */
export function onFittedLine(points: [x: number, y: number][], at: number): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, height] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const slope =
    mean(points.map(([x, y]) => (x - middle) * (y - height))) / mean(points.map(([x]) => (x - middle) * (x - middle)));
  return height + slope * (at - middle);
}
