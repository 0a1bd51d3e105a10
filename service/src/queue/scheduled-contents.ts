/**
 * SQL: the steps that store the contents of the sends in `moving`, which leave `scheduled_sends` for the queue, with their `attachment_bytes`.
 * The content of a send that was accepted within a day goes to its week, and is kept from its acceptance on like that of others. An older send
 * has a row of its own, whose retention begins now: its week may be gone, or go long before the retention of a mail that is submitted today.
 */
export function storeScheduledContents(moving: string): string {
  const isRecent = "time_of_id(id) > now() - interval '1 day'";
  return `recent_contents as (
        insert into send_contents (id, sealed)
        select id, sealed
        from ${moving}
        where ${isRecent}
      ), older_contents as (
        insert into kept_contents (id, sealed, counted_from, attachment_bytes)
        select id, sealed, now(), attachment_bytes
        from ${moving}
        where not ${isRecent}
        order by id
      )`;
}

/** SQL: the record of the send `id` still says queued. Evidence may have settled it, when the database is an older copy. */
export function isStillQueued(id: string): string {
  return `exists (select from sends s where s.id = ${id} and s.status = 'queued' offset 0)`;
}
