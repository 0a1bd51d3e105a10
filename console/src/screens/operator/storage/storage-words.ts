import { formatBytes, formatPercent } from "../../../parts/format-number.ts";
import type { OperatorStatus } from "../operator-queries.ts";
import { forecastText, formatSeconds } from "../seconds.ts";

type Database = OperatorStatus["database"];

/** Less than a megabyte a day is noise. */
const leastBytesPerDay = 1_000_000;

/** The first line of the page: how large, and when full. */
export function storageSentence({ bytes, bytes_per_day, limit_bytes, full_in_seconds }: Database): string {
  if (bytes === null) return "The size of the database is not measured yet. A worker measures it every hour.";
  const size = `The database has ${formatBytes(bytes)}`;
  if (limit_bytes === null) return `${size}. Set DATABASE_DISK_GB to see when its disk is full.`;
  const share = `${size} of ${formatBytes(limit_bytes)}, which is ${formatPercent(bytes / limit_bytes, 0)}`;
  if (full_in_seconds === 0) return `${share}: its disk is full.`;
  if (full_in_seconds !== null) return `${share}. At this growth its disk is full in ${forecastText(full_in_seconds)}.`;
  if (bytes_per_day !== null && bytes_per_day < leastBytesPerDay) return `${share}. It does not grow.`;
  return `${share}. When its disk is full is known after a week of measurements.`;
}

export function growthText({ bytes_per_day, sampled_seconds }: Database): string {
  if (bytes_per_day === null)
    return sampled_seconds < 60
      ? "known after a day"
      : `known after a day, measured for ${formatSeconds(sampled_seconds)}`;
  if (Math.abs(bytes_per_day) < leastBytesPerDay) return "none";
  return `${bytes_per_day > 0 ? "" : "−"}${formatBytes(Math.abs(bytes_per_day))} a day`;
}
