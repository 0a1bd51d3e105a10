import type { AccountDatabase } from "../db/database.ts";
import { totalOfLists } from "../db/list-counts.ts";
import type { Mode } from "../mode.ts";

/** Reads and removes entries. `feedback/record-reports.ts` adds them, in the commit that stores the bounce or complaint. */

export interface Suppression {
  id: string;
  email: string;
  reason: "hard_bounce" | "complaint";
  suppressedAt: string;
}

/** Newest first, which is the order of ids, without the newest `offset` entries. */
export async function listSuppressions(
  db: AccountDatabase,
  mode: Mode,
  { limit, offset }: { limit: number; offset: number },
) {
  const rows = await db.query<{ total: number } & (Suppression | { id: null })>({
    name: "list-suppressions",
    text: `
      select counted.total, s.id, s.email, s.reason, s.suppressed_at as "suppressedAt"
      from (select ${totalOfLists("'{suppressions}'")} as total) counted
      left join (
        select id, email, reason, suppressed_at
        from suppressions
        where account_id = $1
          and mode = $2
        order by id desc
        limit $3
        offset $4
      ) s on true
      order by s.id desc`,
    values: [db.accountId, mode, limit, offset],
  });
  // An empty page is one row that has only the total.
  const suppressions: Suppression[] = rows.filter((row) => row.id !== null);
  return { total: rows[0]?.total ?? 0, suppressions };
}

/** Entries with ids below `before`, newest first. `nextBefore` is the id to continue from; undefined at the end. */
export async function findSuppressionsBefore(
  db: AccountDatabase,
  mode: Mode,
  { before, limit }: { before: string; limit: number },
) {
  const rows = await db.query<Suppression>({
    name: "find-suppressions-before",
    text: `
      select id, email, reason, suppressed_at as "suppressedAt"
      from suppressions
      where account_id = $1
        and mode = $2
        and id < $3
      order by id desc
      limit $4`,
    values: [db.accountId, mode, before, limit + 1],
  });
  const suppressions = rows.slice(0, limit);
  return { suppressions, nextBefore: rows.length > limit ? suppressions.at(-1)?.id : undefined };
}

/**
 * Removes an address from the list. For live mail the same commit records that it must be removed from the provider's
 * list too. Returns false when the address was not on the list.
 */
export async function removeSuppression(
  db: AccountDatabase,
  mode: Mode,
  /** In lower case. */
  email: string,
): Promise<boolean> {
  const rows = await db.query({
    name: "remove-suppression",
    text: `
      with removed as (
        delete from suppressions
        where account_id = $1
          and mode = $2
          and email = $3
        returning email
      )
      select case when $2 = 'live' then note_suppression_removal(email) end
      from removed`,
    values: [db.accountId, mode, email],
  });
  return rows.length > 0;
}
