import type { ApiKey, Usage } from "../../api/api-types.ts";
import { sumBy, type UsageSum } from "../../parts/usage-sums.ts";

export interface DomainRow extends UsageSum {
  domain: string;
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
export function domainRows(entries: readonly Usage[]): DomainRow[] {
  return [...sumBy(entries, ({ domain }) => domain ?? "")]
    .map(([domain, sum]) => ({ ...sum, domain }))
    .toSorted((one, other) => other.acceptedRecipients - one.acceptedRecipients || compare(one.domain, other.domain));
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
