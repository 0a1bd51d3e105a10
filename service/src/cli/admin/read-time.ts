import { InvalidArgumentError } from "commander";

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads the value of a time option: a time, or a duration before now. */
export function timeReader(option: string): (text: string) => string {
  return (text) => {
    const [, count, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
    const isTime = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text);
    const time =
      count === undefined ? Date.parse(isTime ? text : "") : Date.now() - Number(count) * (unitMs[unit] ?? 0);
    if (!Number.isNaN(time)) return new Date(time).toISOString();
    throw new InvalidArgumentError(`${option} must be a time such as 2026-11-15T09:00Z or 12h, not "${text}".`);
  };
}
