import type { Queryable } from "../db/database.ts";
import { onlyByIndex } from "../db/stable-plan.ts";

export interface NewNotifications {
  ids: string[];
  /** Whether an account may have more than its share. */
  isMore: boolean;
}

/** SQL for a row `n`. With statistics PostgreSQL expects to find new ones among all others soon, and would read those of a month. */
export const isNew = `n.envelope is null and ${onlyByIndex("n.envelope is null", "n.sequence")}`;

/**
 * Locks about `limit` new notifications. Serves all accounts, so that a hundred thousand of one do not delay the others; a concurrent worker
 * takes others. Those of an account that is on its way to another cell stay new: the cell where it lives delivers them.
 *
 * 1. `waiting`: accounts with new notifications, each found by one index lookup that jumps over the notifications of the one before.
 * 2. `first`, `served`: at most `limit` of them, and the same share for each.
 * 3. The oldest of each.
 */
export async function takeNewNotifications(db: Queryable, limit: number): Promise<NewNotifications> {
  const rows = await db.query<{ id: string; isLastOfShare: boolean }>({
    name: "take-new-notifications",
    text: `
      with recursive waiting (account_id) as (
        (
          select n.account_id
          from notifications n
          where ${isNew}
          order by n.account_id
          limit 1
        )
        union all
        select next.account_id
        from waiting
        cross join lateral (
          select n.account_id
          from notifications n
          where ${isNew}
            and n.account_id > waiting.account_id
          order by n.account_id
          limit 1
        ) as next
      ), first as materialized (
        select account_id
        from waiting
        where account_id not in (select account_id from moving_accounts)
        limit $1
      ), served as materialized (
        select account_id, $1 / count(*) over () as share
        from first
      )
      select oldest.id, row_number() over (partition by served.account_id) = served.share as "isLastOfShare"
      from served
      cross join lateral (
        select n.id
        from notifications n
        where ${isNew}
          and n.account_id = served.account_id
        order by n.id
        limit served.share
        for update skip locked
      ) as oldest
      order by oldest.id`,
    values: [limit],
  });
  return { ids: rows.map(({ id }) => id), isMore: rows.some(({ isLastOfShare }) => isLastOfShare) };
}
