import type { Queryable } from "../db/database.ts";

/** After it was accepted, a send of a deleted account is remembered this long. SES reports for 23 days at most after the mail, and SQS keeps a message for 14. */
export const forgottenDays = 40;

/** Of sends that nobody reports any more. Serves all accounts. Returns how many ids it deleted, at most `limit`. */
export async function dropForgottenSends(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "drop-forgotten-sends",
    text: `
      delete from forgotten_sends
      where send_id in (
        select send_id
        from forgotten_sends
        where send_id < first_id_at(now() - interval '${forgottenDays} days')
        order by send_id
        limit $1
        for update skip locked
      )
      returning send_id`,
    values: [limit],
  });
  return rows.length;
}
