import { isFound } from "../accounts/list-accounts.ts";
import type { Queryable } from "../db/database.ts";
import { firstDay, minOutcomes } from "../guard/limits.ts";
import { lastDayStart } from "../usage/recipients-last-day.ts";

export const accountRanks = ["volume", "bounce_rate", "complaint_rate"] as const;
export type AccountRank = (typeof accountRanks)[number];

/**
 * The ids of the first accounts, highest first, then the accounts without mail or with fewer than 200 outcomes. It reads at most eight
 * counts of each account that sent within the week, or the usage of a day, and the names of all accounts.
 */
export async function rankAccounts(
  db: Queryable,
  rank: AccountRank,
  { search, limit }: { search: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    rank === "volume" ? byVolume(search, limit) : byRate(rank, search, limit),
  );
  return rows.map(({ id }) => id);
}

function byVolume(search: string | undefined, limit: number) {
  return {
    name: "rank-accounts-by-volume",
    text: `
      with day as materialized (
        select account_id, sum(accepted_recipients) as recipients
        from usage_hours
        where hour >= ${lastDayStart}
          and mode = 'live'
        group by account_id
      )
      select a.id
      from accounts a
      left join day on day.account_id = a.id
      where $2::text is null or ${isFound("a", "$2")}
      order by day.recipients desc nulls last, a.id
      limit $1`,
    values: [limit, search ?? null],
  };
}

function byRate(rank: "bounce_rate" | "complaint_rate", search: string | undefined, limit: number) {
  return {
    name: "rank-accounts-by-rate",
    text: `
      with week as materialized (
        select g.account_id, sum(g.outcomes) as outcomes,
          sum(case when $3 = 'bounce_rate' then g.hard_bounces else g.complaints end) as bad
        from guard_counts g
        join accounts a on a.id = g.account_id and a.guard_epoch = g.epoch
        where g.day >= ${firstDay}
        group by g.account_id
      )
      select a.id
      from accounts a
      left join week on week.account_id = a.id
      where $2::text is null or ${isFound("a", "$2")}
      order by case when week.outcomes >= ${minOutcomes} then week.bad / week.outcomes end desc nulls last,
        week.outcomes desc nulls last, a.id
      limit $1`,
    values: [limit, search ?? null, rank],
  };
}
