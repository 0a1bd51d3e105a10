/**
 * Ranges of usage. The API counts by whole UTC hours, so every limit here is the start of one. Days begin at local
 * midnight; in a zone with half hours, at the UTC hour before it.
 */
export const presets = ["24h", "7d", "30d"] as const;
export type Preset = (typeof presets)[number];

export interface UsageRange {
  /** Undefined for a range that somebody selected. */
  preset: Preset | undefined;
  from: number;
  /** Not included. */
  to: number;
}

export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const defaultPreset: Preset = "7d";
/** The longest range that GET /usage answers by hour. */
const maxMs = 31 * dayMs;
const daysOf = { "24h": 1, "7d": 7, "30d": 30 };

export function floorHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

function ceilHour(ms: number): number {
  return Math.ceil(ms / hourMs) * hourMs;
}

/** Local midnight, `days` before the day of `ms`. */
function localMidnight(ms: number, days: number): number {
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
}

/** The range that the address names: `since` and `until`, or `range`; the last 7 days without either. */
export function readRange(search: Record<string, string | undefined>, now: number): UsageRange {
  const [since, until] = [Date.parse(search.since ?? ""), Date.parse(search.until ?? "")];
  const end = ceilHour(now + 1);
  const from = floorHour(since);
  const to = Math.min(ceilHour(Number.isNaN(until) ? now : until), end);
  if (!Number.isNaN(since) && from < to) return { preset: undefined, from: Math.max(from, to - maxMs), to };
  const preset = presets.find((name) => name === search.range) ?? defaultPreset;
  const start = preset === "24h" ? end - dayMs : floorHour(localMidnight(now, daysOf[preset] - 1));
  return { preset, from: start, to: end };
}

/** The changes of the address that choose a preset. */
export function presetSearch(preset: Preset): Record<string, string | undefined> {
  return { range: preset === defaultPreset ? undefined : preset, since: undefined, until: undefined };
}

export function selectionSearch(from: number, to: number): Record<string, string | undefined> {
  return { range: undefined, since: isoHour(from), until: isoHour(to) };
}

/** The same hours a day, a week or 30 days earlier; for a selected range, as much time right before it. */
export function rangeBefore({ preset, from, to }: UsageRange): UsageRange {
  const shift = preset === undefined ? to - from : daysOf[preset] * dayMs;
  return { preset: undefined, from: from - shift, to: to - shift };
}

const beforeTexts = { "24h": "the day before", "7d": "the week before", "30d": "in the 30\u00a0days before" };

export function beforeText({ preset }: UsageRange): string {
  return preset === undefined ? "in the time before" : beforeTexts[preset];
}

/** Hours a bar, so that a chart has at most about 50 bars. */
export function hoursPerBar({ from, to }: UsageRange): number {
  const days = (to - from) / dayMs;
  if (days <= 2) return 1;
  if (days <= 4) return 3;
  if (days <= 8) return 6;
  return days <= 16 ? 12 : 24;
}

/** Where each bar starts. Bars begin at the local hours that are multiples of their length; the first and the last may be shorter. */
export function barStarts(range: UsageRange): number[] {
  const hours = hoursPerBar(range);
  const starts: number[] = [];
  for (let start = range.from; start < range.to; start = nextBar(start, hours)) starts.push(start);
  return starts;
}

function nextBar(start: number, hours: number): number {
  if (hours === 1) return start + hourMs;
  // A boundary in a zone with half hours is up to an hour before the local one.
  const date = new Date(start + hourMs - 1);
  const next = new Date(date);
  next.setHours((Math.floor(date.getHours() / hours) + 1) * hours, 0, 0, 0);
  return Math.max(floorHour(next.getTime()), start + hourMs);
}

export function isoHour(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
