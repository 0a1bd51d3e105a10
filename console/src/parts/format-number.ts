const space = "\u00a0";

/** SES computes a rate from fewer outcomes too, but one bounce would then move it by more than half a per cent. */
export const minimumOutcomes = 200;

/** "14,200". Without Intl, whose first use takes a tenth of a second on a slow machine. */
export function formatNumber(value: number, digits = 0): string {
  const [whole = "", fraction] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** "800", "2.5k", "1.2M": for the axis of a chart, which has room for four characters. */
export function formatShort(value: number): string {
  const [divisor, unit] = value >= 1e9 ? [1e9, "G"] : value >= 1e6 ? [1e6, "M"] : value >= 1e3 ? [1e3, "k"] : [1, ""];
  const digits = value / divisor >= 10 || Number.isInteger(value / divisor) ? 0 : 1;
  return `${formatNumber(value / divisor, digits)}${unit}`;
}

/** "4.2 %" of a ratio of 0.042. */
export function formatPercent(ratio: number, digits = 1): string {
  return `${formatNumber(ratio * 100, digits)}${space}%`;
}

/** Returns undefined while there are too few outcomes for a rate to mean anything. */
export function findRate(count: number, outcomes: number, minimum = minimumOutcomes): number | undefined {
  return outcomes === 0 || outcomes < minimum ? undefined : count / outcomes;
}

/** "1 send", "1,204 sends" */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)}${space}${count === 1 ? one : many}`;
}

/** "812 B", "4.2 kB", "38 MB" */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (Math.round(value) >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${formatNumber(value, unit === 0 || value >= 9.95 ? 0 : 1)}${space}${units[unit]}`;
}
