import type { ApiKey, Usage } from "../../api/api-types.ts";
import { sumBy, type UsageSum } from "../../parts/usage-sums.ts";

/** The usage of a domain or a tag. */
export interface SumRow extends UsageSum {
  name: string;
}

export interface KeyRow {
  id: string;
  name: string;
  isListed: boolean;
  sends: number;
  recipients: number;
  refused: number;
}

export interface RefusalRow {
  id: string;
  name: string;
  code: string;
  count: number;
}

type Key = Pick<ApiKey, "id" | "name">;

/** The largest first. */
export function domainRows(entries: readonly Usage[]): SumRow[] {
  return sumRows(entries, ({ domain }) => domain);
}

/** What the API calls the tags that it counts together. No tag can have brackets. */
const otherTags = "(other)";

export interface TagRows {
  /** The largest first. */
  rows: SumRow[];
  /** Tags beyond those that are counted by name. */
  other: SumRow | undefined;
}

export function tagRows(entries: readonly Usage[]): TagRows {
  const all = sumRows(entries, ({ tag }) => tag);
  return { rows: all.filter(({ name }) => name !== otherTags), other: all.find(({ name }) => name === otherTags) };
}

function sumRows(entries: readonly Usage[], nameOf: (entry: Usage) => string | undefined): SumRow[] {
  return [...sumBy(entries, (entry) => nameOf(entry) ?? "")]
    .map(([name, sum]) => ({ ...sum, name }))
    .toSorted((one, other) => other.acceptedRecipients - one.acceptedRecipients || compare(one.name, other.name));
}

export function keyRows(entries: readonly Usage[], keys: readonly Key[] | undefined): KeyRow[] {
  const refused = new Map<string, number>();
  for (const { id, count } of refusalRows(entries, keys)) refused.set(id, (refused.get(id) ?? 0) + count);
  return [...sumBy(entries, ({ api_key_id }) => api_key_id ?? "")]
    .map(([id, sum]) => ({
      ...named(id, keys),
      sends: sum.acceptedSends,
      recipients: sum.acceptedRecipients,
      refused: refused.get(id) ?? 0,
    }))
    .toSorted((one, other) => other.recipients - one.recipients || compare(one.name, other.name));
}

/** One row for each key and error code. */
export function refusalRows(entries: readonly Usage[], keys: readonly Key[] | undefined): RefusalRow[] {
  const counts = new Map<string, RefusalRow>();
  for (const { api_key_id = "", refusals = [] } of entries) {
    for (const { code, count } of refusals) {
      const group = `${api_key_id} ${code}`;
      const row = counts.get(group) ?? { id: api_key_id, name: named(api_key_id, keys).name, code, count: 0 };
      counts.set(group, { ...row, count: row.count + count });
    }
  }
  return [...counts.values()].toSorted(
    (one, other) => other.count - one.count || compare(one.name, other.name) || compare(one.code, other.code),
  );
}

/** The list of keys has no revoked ones. */
function named(id: string, keys: readonly Key[] | undefined): { id: string; name: string; isListed: boolean } {
  const key = keys?.find((each) => each.id === id);
  return {
    id,
    name: key?.name ?? (keys === undefined ? id : `Revoked key ${id.slice(-6)}`),
    isListed: key !== undefined,
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
