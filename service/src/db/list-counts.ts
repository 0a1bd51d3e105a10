import type { Queryable } from "./database.ts";

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
