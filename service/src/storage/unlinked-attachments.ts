import type { Queryable } from "../db/database.ts";

/** Long after every deadline of a request. */
const unlinkedHours = 1;

/**
 * Deletes attachments that no send has: their request was refused, or its process ended before it was decided. An accept statement in
 * progress has locked its pending row, and one that comes later finds none and accepts nothing. Serves all accounts. Returns how many
 * requests it cleared up after, at most `limit`.
 */
export async function deleteUnlinkedAttachments(db: Queryable, limit: number): Promise<number> {
  const [row] = await db.query<{ requests: number }>({
    name: "delete-unlinked-attachments",
    text: `
      with expired as materialized (
        select send_id
        from pending_attachments
        where stored_at < now() - make_interval(hours => $1)
        order by stored_at
        limit $2
        for update skip locked
      ), cleared as (
        delete from pending_attachments
        where send_id in (select send_id from expired)
      ), chunks as (
        delete from attachment_chunks
        where id in (select send_id from expired)
      )
      select count(*) as requests
      from expired`,
    values: [unlinkedHours, limit],
  });
  return row?.requests ?? 0;
}
