export type TimeOptions = { now?: number; timeZone?: string };

const space = "\u00a0";
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

// A browser clock a little behind the server's would otherwise show "in 2 s" for a send that was just accepted.
const clockSkewMs = 5 * second;

/** The fields in the zone of the browser, or in the given one. */
function dateFields(at: number, timeZone?: string) {
  const { year, month, date, clock, seconds } = timeZone === undefined ? localFields(at) : fieldsIn(timeZone, at);
  const weekday = weekdays[new Date(Date.UTC(year, month, date)).getUTCDay()] ?? "";
  return { year, month: months[month] ?? "", date, weekday, clock, seconds };
}

/** Without Intl, which is too slow for a chart with hundreds of times. */
function localFields(at: number) {
  const local = new Date(at);
  const clock = `${twoDigits(local.getHours())}:${twoDigits(local.getMinutes())}`;
  const seconds = twoDigits(local.getSeconds());
  return { year: local.getFullYear(), month: local.getMonth(), date: local.getDate(), clock, seconds };
}

function fieldsIn(timeZone: string, at: number) {
  const format = new Intl.DateTimeFormat("en-GB", {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
  });
  const field = Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
  const clock = `${field.hour}:${field.minute}`;
  return {
    year: Number(field.year),
    month: Number(field.month) - 1,
    date: Number(field.day),
    clock,
    seconds: field.second ?? "00",
  };
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

export function toMilliseconds(at: string | number | Date): number {
  return typeof at === "number" ? at : new Date(at).getTime();
}

/** "16:40" */
export function formatClock(at: number, { timeZone }: TimeOptions = {}): string {
  return dateFields(at, timeZone).clock;
}

/** "16:40:04.118" */
export function formatClockWithMilliseconds(at: number, { timeZone }: TimeOptions = {}): string {
  const { clock, seconds } = dateFields(at, timeZone);
  return `${clock}:${seconds}.${String(new Date(at).getUTCMilliseconds()).padStart(3, "0")}`;
}

/** "12 Nov", with the year when it is not the current one. */
export function formatDate(at: number, { now = Date.now(), timeZone }: TimeOptions = {}): string {
  const { date, month, year } = dateFields(at, timeZone);
  const base = `${date}${space}${month}`;
  return year === dateFields(now, timeZone).year ? base : `${base} ${year}`;
}

/** "12 Nov, 16:40" */
export function formatDateTime(at: number, options: TimeOptions = {}): string {
  return `${formatDate(at, options)}, ${formatClock(at, options)}`;
}

/** "Tue 10": a label of an axis. */
export function formatWeekday(at: number, { timeZone }: TimeOptions = {}): string {
  const { weekday, date } = dateFields(at, timeZone);
  return `${weekday}${space}${date}`;
}

/** How an axis names these times: "16:40" up to two days, "Tue 10" up to nine, "10 Nov" beyond, where weekdays repeat. */
export function axisFormat(times: readonly number[]): (at: number) => string {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  if (span > 9 * day) return (at) => formatDate(at);
  return span >= 2 * day ? (at) => formatWeekday(at) : (at) => formatClock(at);
}

/** "Mon 16 Nov, 16:04", with the year when it is not the current one. */
export function formatWeekdayTime(at: number, options: TimeOptions = {}): string {
  return `${dateFields(at, options.timeZone).weekday} ${formatDateTime(at, options)}`;
}

/** "Mon 16 Nov 2026, 16:04:12" */
export function formatFull(at: number, { timeZone }: TimeOptions = {}): string {
  const { weekday, date, month, year, clock, seconds } = dateFields(at, timeZone);
  return `${weekday} ${date} ${month} ${year}, ${clock}:${seconds}`;
}

/** "2026-11-16T15:04:12.118Z" */
export function formatUtc(at: number): string {
  return new Date(at).toISOString();
}

function coarse(ms: number): string {
  if (ms < minute) return `${Math.floor(ms / second)}${space}s`;
  if (ms < hour) return `${Math.floor(ms / minute)}${space}min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)}${space}h`;
  return `${Math.floor(ms / day)}${space}days`;
}

function withDirection(text: string, isPast: boolean): string {
  return isPast ? `${text} ago` : `in ${text}`;
}

/** "14 min ago" or "in 13 h" within 24 hours, "12 Nov, 16:40" beyond. */
export function formatRelative(at: number, { now = Date.now(), timeZone }: TimeOptions = {}): string {
  const age = now - at;
  if (Math.abs(age) >= day) return formatDateTime(at, { now, ...(timeZone === undefined ? {} : { timeZone }) });
  if (age < second && age > -clockSkewMs) return "now";
  return withDirection(coarse(Math.abs(age)), age > 0);
}

/** "6 min 3 s ago": two units. */
export function formatAge(at: number, { now = Date.now() }: TimeOptions = {}): string {
  const age = now - at;
  const ms = Math.abs(age);
  if (ms < second) return "now";
  const units: [number, string][] = [
    [day, ms < 2 * day ? "day" : "days"],
    [hour, "h"],
    [minute, "min"],
    [second, "s"],
  ];
  const first = units.findIndex(([size]) => ms >= size);
  let rest = ms;
  const words = units.slice(first, first + 2).flatMap(([size, unit]) => {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    return amount === 0 ? [] : [`${amount}${space}${unit}`];
  });
  return withDirection(words.join(" "), age > 0);
}

/** "212 ms", "1.2 s", "37 s", "4 min", "13 h", "41 days" */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < second) return `${Math.round(ms)}${space}ms`;
  if (ms < 9.95 * second) return `${(ms / second).toFixed(1)}${space}s`;
  const rounded = Math.round(ms / second) * second;
  return coarse(rounded);
}

/** "+01:00": how far local time is from UTC at that moment. */
export function formatOffset(at: number, { timeZone }: TimeOptions = {}): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZoneName: "longOffset",
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const name = format.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  return name === "GMT" ? "+00:00" : name.replace("GMT", "");
}
