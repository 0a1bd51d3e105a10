import { formatDateTime } from "../../parts/format-time.ts";

export interface ChangedFact {
  name: string;
  /** Undefined when this side does not have the fact. */
  before: string | undefined;
  after: string | undefined;
  isChanged: boolean;
}

type Facts = Record<string, unknown> | null;

/** Both sides of an entry, a row for each fact; what changed comes first. */
export function changedFacts(before: Facts, after: Facts): ChangedFact[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const rows = names.map((name) => {
    const [left, right] = [sideOf(before, name), sideOf(after, name)];
    return { name: name.replaceAll("_", " "), before: left, after: right, isChanged: left !== right };
  });
  const isComparison = before !== null && after !== null;
  return isComparison ? rows.toSorted((one, other) => Number(other.isChanged) - Number(one.isChanged)) : rows;
}

function sideOf(facts: Facts, name: string): string | undefined {
  return facts !== null && Object.hasOwn(facts, name) ? factText(facts[name]) : undefined;
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** A fact for people: "yes", "none", "send, read", a local time. */
export function factText(value: unknown): string {
  if (value === null || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en");
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(factText).join(", ");
  if (typeof value === "string") {
    return isoTime.test(value) && !Number.isNaN(Date.parse(value)) ? formatDateTime(Date.parse(value)) : value;
  }
  return JSON.stringify(value);
}
