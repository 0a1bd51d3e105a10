import type { AccountDatabase } from "../db/database.ts";
import { countersOfDeltas, deliveryTimesOfDeltas, tagCounterNames } from "./fold-usage.ts";
import { amountsOfTags, countedName, nameTags } from "./named-tags.ts";
import { startOf, sumsOf, timeSums, type UsageCounts, type UsageQuery } from "./read-usage.ts";

export interface TagUsage extends Omit<UsageCounts, "contentBytes"> {
  /** The start of the day or range. */
  start: string;
  tag: string;
}

/**
 * The usage of each tag of the account, oldest first: what was folded and what is not folded yet, in one snapshot.
 * Tags are counted per day, so the range must have whole days, and `by` is not `hour`.
 */
export function readTagUsage(db: AccountDatabase, query: Omit<UsageQuery, "isByDomain">): Promise<TagUsage[]> {
  const { modes, from, to, by, maxEntries } = query;
  return db.query<TagUsage>({
    name: "read-tag-usage",
    text: `
      with unfolded as materialized (${amountsOfTags(`(
          select account_id, is_test, hour, kind, amount, sends, tags
          from usage_deltas
          where account_id = $1
            and tags is not null
            and case when is_test then 'test' else 'live' end = any ($2)
            and hour >= hour_number($3::timestamptz)
            and hour < hour_number($4::timestamptz)
        ) as deltas`)}
      ), named as materialized (${nameTags("unfolded")}
      ), counted as materialized (
        select day, tag, ${tagCounterNames.join(", ")}, delivery_times
        from usage_tag_days
        where account_id = $1
          and mode = any ($2)
          and day >= ($3::timestamptz at time zone 'UTC')::date
          and day < ($4::timestamptz at time zone 'UTC')::date
        union all
        select day, ${countedName}, ${tagCounterNames.map((name) => countersOfDeltas[name]).join(", ")}, ${deliveryTimesOfDeltas}
        from named
        group by day, 2
      )
      select ${startOf("day::timestamptz")} as start, tag, ${sumsOf(tagCounterNames)}, array[${timeSums}] as "deliveryTimes"
      from counted
      group by 1, 2
      order by 1, 2
      limit $6`,
    values: [db.accountId, modes, from, to, by, maxEntries],
    isPlannedEachTime: true,
  });
}
