/**
 * Parses an ISO 8601 date or date-time; undefined for any other text. A date alone is 00:00, and without a zone the time is UTC.
 *
 * - Dates: `2027-01-31`, `20270131`; by day of the year `2027-031`, `2027031`; by week `2027-W04-7`, `2027W047`.
 * - Times after a `T`: `12`, `12:30`, `1230`, `12:30:15`, `123015`; seconds may have a fraction after a dot or comma.
 * - Zones after a time: `Z`, `+02:00`, `+0200`, `+02`.
 */
export function parseIsoTime(text: string): Date | undefined {
  const [date = "", clock, ...rest] = text.split("T");
  const midnight = rest.length > 0 ? undefined : dayOf(date);
  const time = clock === undefined ? 0 : clockOf(clock);
  return midnight === undefined || time === undefined ? undefined : new Date(midnight + time);
}

const dayMs = 86_400_000;

function dayOf(text: string): number | undefined {
  return calendarDay(text) ?? ordinalDay(text) ?? weekDay(text);
}

function calendarDay(text: string): number | undefined {
  const [, year, , month, day] = /^(\d{4})(-?)(\d\d)\2(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(startOf(Number(year)));
  date.setUTCMonth(Number(month) - 1, Number(day));
  // A day that the month does not have moves the date into another month.
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCFullYear() === Number(year)
    ? date.getTime()
    : undefined;
}

function ordinalDay(text: string): number | undefined {
  const [, year, day] = /^(\d{4})-?(\d{3})$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = startOf(Number(year)) + (Number(day) - 1) * dayMs;
  return new Date(date).getUTCFullYear() === Number(year) ? date : undefined;
}

/** Week 1 is the week with the fourth of January; weeks begin on Monday. */
function weekDay(text: string): number | undefined {
  const [, year, , week, day] = /^(\d{4})(-?)W(\d\d)\2([1-7])$/.exec(text) ?? [];
  if (year === undefined || Number(week) < 1) return undefined;
  const thursday = firstMonday(Number(year)) + (Number(week) * 7 - 4) * dayMs;
  // A week belongs to the year of its Thursday.
  if (new Date(thursday).getUTCFullYear() !== Number(year)) return undefined;
  return thursday + (Number(day) - 4) * dayMs;
}

function firstMonday(year: number): number {
  const fourth = startOf(year) + 3 * dayMs;
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
}

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999. */
function startOf(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

const clockPattern = /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** Milliseconds since midnight UTC; negative or beyond a day where the zone requires it. 24:00 is the end of the day. */
function clockOf(text: string): number | undefined {
  const [whole, hour, , minute = "0", second = "0", fraction = "0", zone = "Z"] = clockPattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  const isEndOfDay = hours === 24 && minutes === 0 && seconds === 0 && Number(fraction) === 0;
  const offset = offsetOf(zone);
  if ((hours > 23 && !isEndOfDay) || minutes > 59 || seconds > 59 || offset === undefined) return undefined;
  return ((hours * 60 + minutes - offset) * 60 + seconds) * 1000 + Math.floor(Number(`0.${fraction}`) * 1000);
}

function offsetOf(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
