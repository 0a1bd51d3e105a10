import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { countersOfDeltas, deliveryTimesOfDeltas } from "./fold-usage.ts";
import { deliveryTimeBuckets } from "./usage-kinds.ts";

export type UsageUnit = "hour" | "day" | "range";

export interface UsageQuery {
  modes: readonly Mode[];
  /** The start of an hour, or of a day when usage is read by day. */
  from: string;
  /** Not included. */
  to: string;
  /** `range`: one entry for all of it. */
  by: UsageUnit;
  isByDomain: boolean;
  maxEntries: number;
}

/** What was counted in an hour, a day or the range. */
export interface UsageCounts {
  acceptedSends: number;
  acceptedRecipients: number;
  contentBytes: number;
  delivered: number;
  bouncedHard: number;
  bouncedSoft: number;
  complained: number;
  suppressed: number;
  failed: number;
  delayed: number;
  /** Deliveries by duration, one number for each bucket. */
  deliveryTimes: number[];
}

export interface Usage extends UsageCounts {
  /** The start of the hour, day or range. */
  start: string;
  /** Null unless usage is read by domain. */
  domain: string | null;
}

const names = Object.keys(countersOfDeltas);
const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
/** `failed` can be negative: a process without usage marked a send as failed, and a later one took that back. A rebuild corrects it. */
export const sumsOf = (counters: string[]) =>
  counters.map((name) => `greatest(sum(${name}), 0)::bigint as "${camelCase(name)}"`).join(", ");
/** SQL: the deliveries of each bucket. */
export const timeSums = Array.from(
  { length: deliveryTimeBuckets },
  (_, bucket) => `coalesce(sum(delivery_times[${bucket + 1}]), 0)::float8`,
).join(", ");

/** SQL: the start of the entry that counts `moment`, with `$3` the start of the range and `$5` the unit. */
export function startOf(moment: string): string {
  return `case $5 when 'range' then $3::timestamptz else date_trunc($5, ${moment}, 'UTC') end`;
}

/**
 * The usage of the account, oldest first: what was folded and what is not folded yet, in one snapshot. Hours and days without any are
 * left out.
 */
export function readUsage(db: AccountDatabase, query: UsageQuery): Promise<Usage[]> {
  const { modes, from, to, by, isByDomain, maxEntries } = query;
  return db.query<Usage>({
    name: "read-usage",
    text: `
      with counted as materialized (
        select hour, domain, ${names.join(", ")}, delivery_times
        from usage_hours
        where account_id = $1
          and mode = any ($2)
          and hour >= $3::timestamptz
          and hour < $4::timestamptz
        union all
        select hour_at(hour), domain, ${Object.values(countersOfDeltas).join(", ")}, ${deliveryTimesOfDeltas}
        from usage_deltas
        where account_id = $1
          and case when is_test then 'test' else 'live' end = any ($2)
          and hour >= hour_number($3::timestamptz)
          and hour < hour_number($4::timestamptz)
        group by hour, domain
      )
      select ${startOf("hour")} as start, case when $6 then domain end as domain, ${sumsOf(names)},
        array[${timeSums}] as "deliveryTimes"
      from counted
      group by 1, 2
      order by 1, 2
      limit $7`,
    values: [db.accountId, modes, from, to, by, isByDomain, maxEntries],
    isPlannedEachTime: true,
  });
}
