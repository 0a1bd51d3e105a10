import type { Mode } from "../mode.ts";
import type { AccountDatabase, Queryable } from "./database.ts";

/**
 * SQL expression: the number of entries in these lists of account $1 in the modes $2. It is part of the statement that reads
 * the page, so that both show the same snapshot. It reads one row per month and the changes of the last seconds.
 */
export function totalOfLists(lists: string): string {
  return `(
        coalesce((
          select sum(c.count)
          from list_counts c
          where c.account_id = $1 and c.mode = any ($2) and c.list = any (${lists})
        ), 0) + coalesce((
          select sum(c.difference)
          from list_changes c
          where c.account_id = $1 and c.mode = any ($2) and c.list = any (${lists})
        ), 0)
      )::bigint`;
}

/** SQL: the entries per month of the lists `$3` of account `$1` in the modes `$2`, and the changes that are not folded into them yet. */
const countsOfLists = `
          select month, count
          from list_counts
          where account_id = $1 and mode = any ($2) and list = any ($3)
          union all
          select month, difference
          from list_changes
          where account_id = $1 and mode = any ($2) and list = any ($3)`;

/** SQL: the number of entries per month in the lists `$3` of account `$1` in the modes `$2`, as the common table `months`. */
export const monthsOfLists = `months as materialized (
        select month, sum(count) as entries
        from (
          ${countsOfLists}
        ) as counts
        group by month
      )`;

/**
 * SQL: where the first `$4 + $5` entries of the lists `$3` of account `$1` in the modes `$2` are, as `ranges (first_id, end_id)`, and
 * `counted (total)`. Everything comes from one snapshot. Months without entries are in no range, so PostgreSQL does not open their
 * partitions. Adjacent months are one range, because a partition can have days of two months.
 */
export const rangesOfLists = `
      with ${monthsOfLists}, needed as materialized (
        select month, month + make_interval(months => row_number() over (order by month desc)::integer) as adjacent
        from (
          select month, sum(entries) over (order by month desc rows unbounded preceding) - entries as newer
          from months
          where entries > 0
        ) as counted_from_new_end
        where newer < $4::bigint + $5::bigint
      ), ranges as materialized (
        select first_id_at(min(month)::timestamp at time zone 'UTC') as first_id,
          first_id_at((max(month) + interval '1 month') at time zone 'UTC') as end_id
        from needed
        group by adjacent
      ), counted as (
        select coalesce(sum(entries), 0)::bigint as total
        from months
      )`;

interface EntriesNeeded {
  modes: readonly Mode[];
  lists: readonly string[];
  wanted: number;
  /** Counts only entries with ids below `before` and times before `until`. */
  before?: string | undefined;
  until?: string | undefined;
}

/**
 * The newest month from whose start the lists contain `wanted` entries, or the oldest month they have; undefined when they
 * are empty. A page that starts there does not open the partitions of older months.
 */
export async function findOldestMonthNeeded(db: AccountDatabase, needed: EntriesNeeded): Promise<string | undefined> {
  const [row] = await db.query<{ month: string | null }>({
    name: "find-oldest-month-needed",
    text: `
      select to_char(min(month), 'YYYY-MM-DD"T00:00Z"') as month
      from (
        select month, coalesce(sum(entries) over (order by month desc rows between unbounded preceding and 1 preceding), 0) as later
        from (
          -- The first month may have no entry left before the start of the page, so its entries do not count.
          select month, sum(count) filter (where month < start) as entries
          from (
            ${countsOfLists}
          ) as each_list
          cross join (
            select date_trunc('month', least(time_of_id($5::uuid), $6::timestamptz, 'infinity') at time zone 'UTC') as start
          ) as reading
          where month <= start
          group by month
        ) as by_month
      ) as counted
      where later < $4`,
    values: [db.accountId, needed.modes, needed.lists, needed.wanted, needed.before ?? null, needed.until ?? null],
  });
  return row?.month ?? undefined;
}

/**
 * Serves all accounts: folds the oldest changes into the counts and returns how many it folded. One commit deletes a change
 * and adds it to its count, so every query sees it exactly once. A trigger adds it to `list_days`. Concurrent folds take different changes.
 */
export async function foldListChanges(db: Queryable, batchSize: number): Promise<number> {
  const [row] = await db.query<{ taken: number }>({
    name: "fold-list-changes",
    text: `
      with taken as (
        delete from list_changes
        where id in (
          select id
          from list_changes
          order by id
          limit $1
          for update skip locked
        )
        returning account_id, mode, list, month, difference
      ), folded as (
        insert into list_counts as known (account_id, mode, list, month, count)
        select account_id, mode, list, month, sum(difference)
        from taken
        group by account_id, mode, list, month
        order by account_id, mode, list, month
        on conflict (account_id, mode, list, month) do update
        set count = known.count + excluded.count
      )
      select count(*) as taken
      from taken`,
    values: [batchSize],
  });
  return row?.taken ?? 0;
}

/** SQL for `dueWhen` of the chore. Costs less than to look for the rows. */
export const listChanges = "select from list_changes order by id limit 1";
