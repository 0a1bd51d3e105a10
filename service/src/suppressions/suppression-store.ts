import type { AccountDatabase } from "../db/database.ts";
import { totalOfLists } from "../db/list-counts.ts";
import type { Mode } from "../mode.ts";

export interface Suppression {
  id: string;
  email: string;
  reason: "hard_bounce" | "complaint";
  suppressedAt: string;
}

/** Newest first, which is the order of ids; `offset` newer ones are left out. */
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
  // A page without entries is one row with nothing but the total.
  const suppressions: Suppression[] = rows.filter((row) => row.id !== null);
  return { total: rows[0]?.total ?? 0, suppressions };
}

/** Newest first from a place in the list on; `nextBefore` is the place to go on from, undefined at the end. */
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
 * Takes an address off the list, and for live mail leaves a note in the same commit that it has to go from the provider's
 * list as well. False when it was not on the list.
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
