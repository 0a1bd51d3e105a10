/**
 * SQL: the steps that store the contents of the sends in `moving`, which leave `scheduled_sends` for the queue. The week of a send that was
 * accepted within six days exists, because contents are kept for seven at least. An older send has a row of its own, which is deleted when
 * the send is final.
 */
export function storeScheduledContents(moving: string): string {
  const isRecent = "time_of_id(id) > now() - interval '6 days'";
  return `recent_contents as (
        insert into send_contents (id, sealed)
        select id, sealed
        from ${moving}
        where ${isRecent}
      ), older_contents as (
        insert into kept_contents (id, sealed)
        select id, sealed
        from ${moving}
        where not ${isRecent}
        order by id
      )`;
}

/** SQL: the record of the send `id` still says queued. Evidence may have settled it, when the database is an older copy. */
export function isStillQueued(id: string): string {
  return `exists (select from sends s where s.id = ${id} and s.status = 'queued' offset 0)`;
}
