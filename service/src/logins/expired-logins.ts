import type { Queryable } from "../db/database.ts";

/** Returns how many rows it deleted, at most `limit`. A log-in deletes only those of its own user. */
export async function deleteExpiredLogins(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "delete-expired-logins",
    text: `
      delete from logins
      where id in (
        select id
        from logins
        where expires_at <= now()
        order by expires_at
        limit $1
        for update skip locked
      )
      returning id`,
    values: [limit],
  });
  return rows.length;
}
