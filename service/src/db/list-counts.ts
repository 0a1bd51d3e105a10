import type { Mode } from "../mode.ts";
import type { AccountDatabase, Queryable } from "./database.ts";

/**
 * How many entries these lists of account $1 in mode $2 have, as part of the statement that reads them: so that the number
 * and what is shown are of the same moment. It reads a row a month, and the changes of the last seconds.
 */
export function totalOfLists(lists: string): string {
  return `(
        coalesce((
          select sum(c.count)
          from list_counts c
          where c.account_id = $1 and c.mode = $2 and c.list = any (${lists})
        ), 0) + coalesce((
          select sum(c.difference)
          from list_changes c
          where c.account_id = $1 and c.mode = $2 and c.list = any (${lists})
        ), 0)
      )::bigint`;
}

interface Reach {
  mode: Mode;
  lists: readonly string[];
  wanted: number;
  /** Only entries with lower ids and from before that time count. */
  before?: string | undefined;
  until?: string | undefined;
}

/**
 * From the beginning of which month on the lists hold so many entries, or all they have; undefined when they have none.
 * Whoever reads a page asks first: partitions of older months are then not even opened.
 */
export async function monthReaching(db: AccountDatabase, reach: Reach): Promise<string | undefined> {
  const [row] = await db.query<{ month: string | null }>({
    name: "month-reaching",
    text: `
      select to_char(min(month), 'YYYY-MM-DD"T00:00Z"') as month
      from (
        select month, coalesce(sum(held) over (order by month desc rows between unbounded preceding and 1 preceding), 0) as later
        from (
          -- Of the month in which the reading begins, perhaps none are left.
          select month, sum(count) filter (where month < start) as held
          from (
            select month, count
            from list_counts
            where account_id = $1 and mode = $2 and list = any ($3)
            union all
            select month, difference
            from list_changes
            where account_id = $1 and mode = $2 and list = any ($3)
          ) as each_list
          cross join (
            select date_trunc('month', least(time_of_id($5::uuid), $6::timestamptz, 'infinity') at time zone 'UTC') as start
          ) as reading
          where month <= start
          group by month
        ) as by_month
      ) as counted
      where later < $4`,
    values: [db.accountId, reach.mode, reach.lists, reach.wanted, reach.before ?? null, reach.until ?? null],
  });
  return row?.month ?? undefined;
}

/**
 * Over all accounts: takes the oldest changes into the counts and returns how many they were. A reader sees each change
 * either as such or in its count, because both are one commit; two that fold at once take different changes.
 */
export async function foldListChanges(db: Queryable, atMost: number): Promise<number> {
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
    values: [atMost],
  });
  return row?.taken ?? 0;
}
