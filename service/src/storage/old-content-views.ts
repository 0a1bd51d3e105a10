import type { Queryable } from "../db/database.ts";

/** Serves all accounts. Returns how many expired views it deleted, at most `limit`. */
export async function deleteExpiredViews(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "delete-expired-views",
    text: `
      delete from content_views
      where token_hash in (
        select token_hash
        from content_views
        where expires_at <= now()
        order by expires_at
        limit $1
        for update skip locked
      )
      returning token_hash`,
    values: [limit],
  });
  return rows.length;
}
