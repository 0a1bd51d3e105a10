import type { AccountDatabase } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { eventColumns } from "./event-columns.ts";
import type { EventFilter, SendEvent } from "./send-event.ts";

/** The most sends of a recipient whose events one page reads. */
const maxSends = 1_000;

/**
 * The events of a recipient, found through the index of sends (migration 0029_search). Undefined when the index does not cover them, and
 * the caller scans: sends from before the index have no entries yet, no send has an entry for this recipient, or more than 1,000 have.
 */
export async function searchEvents(
  db: AccountDatabase,
  modes: readonly Mode[],
  { type, recipient, before, since, until, limit }: EventFilter,
): Promise<{ events: SendEvent[]; nextBefore: string | undefined } | undefined> {
  const rows = await db.query<{ sends: number; isIndexed: boolean } & (SendEvent | { id: null })>({
    name: "search-events",
    text: `
      with found as materialized (
        select found as send
        from find_searched_sends(search_hash($1::uuid, $8::text), first_id_at(timestamptz 'epoch'),
          first_id_at(now() + interval '1 day'), ${maxSends} + 1) as found
      ), counted as materialized (
        select count(*) as sends, search_indexed_from() = '00000000-0000-0000-0000-000000000000' as "isIndexed"
        from found
      )
      select counted.*, page.*
      from counted
      left join (
        select ${eventColumns}
        from found
        -- Only by send: with another condition inside, PostgreSQL may choose the index of that one.
        cross join lateral ${indexLookup(`
          select id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype, complaint_type,
            suppression_reason, suppressed_at, reply_status, reply, reporting_mta, duration_ms
          from events
          where send_id = found.send
            and id >= first_id_at(time_of_id(found.send))`)} as event
        where (select sends from counted) <= ${maxSends}
          and account_id = $1
          and mode = any ($2)
          and recipient = $8
          and ($3::text is null or event_type = $3)
          and ($4::uuid is null or id < $4)
          and ($5::timestamptz is null or id >= first_id_at($5))
          and ($6::timestamptz is null or id < first_id_at($6))
        order by id desc
        limit $7 + 1
      ) as page on true
      order by page.id desc`,
    values: [db.accountId, modes, type ?? null, before ?? null, since ?? null, until ?? null, limit, recipient],
    isPlannedEachTime: true,
  });
  const { sends = 0, isIndexed = false } = rows[0] ?? {};
  if (!isIndexed || sends === 0 || sends > maxSends) return undefined;
  const events = rows
    .filter((row) => row.id !== null)
    .map(({ sends: _sends, isIndexed: _isIndexed, ...event }) => event);
  const page = events.slice(0, limit);
  return { events: page, nextBefore: events.length > limit ? page.at(-1)?.id : undefined };
}
