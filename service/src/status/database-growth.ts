import { durationText, gigabyteText } from "../plain-text.ts";
import { readDays, type SizeSample } from "../storage/database-size.ts";
import type { Problem } from "./problem.ts";

/** The size of the database, which a worker measures once an hour (storage/database-size.ts). Null: not known. */
export interface DatabaseGrowth {
  bytes: number | null;
  measuredSecondsAgo: number | null;
  /** Below zero while the database shrinks; null until the samples span a day. */
  bytesPerDay: number | null;
  /** How long the samples span, at most eight days. */
  sampledSeconds: number;
  /** DATABASE_DISK_GB. */
  limitBytes: number | null;
  /** 0 when the limit is reached; null when the database does not grow, the limit is not known, or the samples span less than a week. */
  fullInSeconds: number | null;
}

const daySeconds = 86_400;
const warnSeconds = 14 * daySeconds;
/** Less than a megabyte a day is noise. */
const leastBytesPerDay = 1_000_000;

export function growthOf(samples: SizeSample[], limitBytes: number | null): DatabaseGrowth {
  const newest = samples.at(-1);
  const sampledSeconds = (samples[0]?.ageSeconds ?? 0) - (newest?.ageSeconds ?? 0);
  const bytesPerDay =
    sampledSeconds < daySeconds ? null : Math.round(daySeconds * medianSlope(samples, sampledSeconds));
  const bytes = newest?.bytes ?? null;
  // Before that the samples may all lie between two drops of content, where every database grows.
  const isWhole = sampledSeconds >= (readDays - 1) * daySeconds;
  return {
    bytes,
    measuredSecondsAgo: newest?.ageSeconds ?? null,
    bytesPerDay,
    sampledSeconds,
    limitBytes,
    fullInSeconds:
      bytes === null || limitBytes === null ? null : secondsUntil(limitBytes - bytes, isWhole ? bytesPerDay : null),
  };
}

function secondsUntil(freeBytes: number, bytesPerDay: number | null): number | null {
  if (freeBytes <= 0) return 0;
  if (bytesPerDay === null || bytesPerDay < leastBytesPerDay) return null;
  return (daySeconds * freeBytes) / bytesPerDay;
}

/**
 * The median of the slopes between each sample of the last day and the sample a week before it, so that neither one odd sample nor the
 * time of day counts. Workers drop content once a week: samples exactly a week apart show the trend, and not the part between two drops.
 * With a shorter history, the samples of the last quarter of it (a day at most) are compared with those at its beginning.
 */
function medianSlope(samples: SizeSample[], sampledSeconds: number): number {
  const recentSeconds = Math.min(daySeconds, sampledSeconds / 4);
  const lagSeconds = Math.min((readDays - 1) * daySeconds, sampledSeconds - recentSeconds);
  const newestAge = samples.at(-1)?.ageSeconds ?? 0;
  const slopes = samples
    .filter(({ ageSeconds }) => ageSeconds - newestAge <= recentSeconds)
    .map((recent) => slopeBetween(nearest(samples, recent.ageSeconds + lagSeconds), recent))
    .toSorted((a, b) => a - b);
  const middle = slopes.length >> 1;
  const [upper = 0, lower = upper] = [slopes[middle], slopes[middle - 1 + (slopes.length % 2)]];
  return (lower + upper) / 2;
}

function nearest(samples: SizeSample[], ageSeconds: number): SizeSample {
  const distanceOf = (sample: SizeSample) => Math.abs(sample.ageSeconds - ageSeconds);
  return samples.reduce((best, sample) => (distanceOf(sample) < distanceOf(best) ? sample : best));
}

function slopeBetween(earlier: SizeSample, later: SizeSample): number {
  const seconds = earlier.ageSeconds - later.ageSeconds;
  return seconds <= 0 ? 0 : (later.bytes - earlier.bytes) / seconds;
}

export function growthProblems({ bytes, limitBytes, bytesPerDay, fullInSeconds }: DatabaseGrowth): Problem[] {
  if (bytes === null || limitBytes === null || fullInSeconds === null || fullInSeconds > warnSeconds) return [];
  const advice =
    'Enlarge the disk and DATABASE_DISK_GB, or keep content for a shorter time. See docs/runbook.md, "The database is full".';
  const size = `the database has ${gigabyteText(bytes)} of ${gigabyteText(limitBytes)}`;
  const runbook = "the-database-is-full";
  if (fullInSeconds === 0) {
    return [{ what: `The disk of the database is full by DATABASE_DISK_GB: ${size}.`, advice, runbook }];
  }
  const what = `The disk of the database is full in ${daysText(fullInSeconds)}: ${size} and ${growthText(bytesPerDay)}.`;
  return [{ what, advice, runbook }];
}

/** One line of `postern status`. */
export function databaseText(growth: DatabaseGrowth): string {
  const { bytes, measuredSecondsAgo, bytesPerDay, sampledSeconds } = growth;
  if (bytes === null) return "size not measured yet";
  const size = `${gigabyteText(bytes)}, measured ${durationText(measuredSecondsAgo ?? 0)} ago`;
  if (bytesPerDay === null) {
    return `${size}; growth not known yet: measured for ${durationText(sampledSeconds)} of at least a day${limitText(growth)}`;
  }
  return `${size}; ${growthText(bytesPerDay)}${limitText(growth)}`;
}

function growthText(bytesPerDay: number | null): string {
  if (bytesPerDay === null) return "its growth is not known yet";
  if (Math.abs(bytesPerDay) < leastBytesPerDay) return "does not grow";
  const amount = gigabyteText(Math.abs(bytesPerDay));
  return bytesPerDay > 0 ? `grows by ${amount} a day` : `shrinks by ${amount} a day`;
}

function limitText({ limitBytes, bytesPerDay, fullInSeconds }: DatabaseGrowth): string {
  if (limitBytes === null) return "; set DATABASE_DISK_GB to see when its disk is full";
  const limit = gigabyteText(limitBytes);
  if (fullInSeconds === 0) return `; FULL: the limit is ${limit}`;
  if (fullInSeconds !== null) return `; ${limit} are full in ${daysText(fullInSeconds)}`;
  if (bytesPerDay === null) return `; the limit is ${limit}`;
  return bytesPerDay < leastBytesPerDay
    ? `; at this rate ${limit} are never full`
    : `; the limit is ${limit}, and when it is reached is known after a week of measurements`;
}

function daysText(seconds: number): string {
  const days = Math.floor(seconds / daySeconds);
  if (days < 1) return "less than a day";
  if (days > 3650) return "more than ten years";
  return days === 1 ? "1 day" : `${days} days`;
}
