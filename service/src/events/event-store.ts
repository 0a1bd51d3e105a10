import type { AccountDatabase } from "../db/database.ts";
import { deepPage, maxScannedOffset, maxShallowOffset } from "../db/deep-page.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import { findOldestMonthNeeded, rangesOfLists, totalOfLists } from "../db/list-counts.ts";
import { ofEachMode } from "../db/of-each-mode.ts";
import { equalByIndex, indexLookup, onlyByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { eventColumns } from "./event-columns.ts";
import { withFactsOfSend } from "./facts-of-send.ts";
import { searchEvents } from "./search-events.ts";
import { type EventFilter, type EventType, eventTypes, type ListedEvent, type SendEvent } from "./send-event.ts";

/**
 * SQL: keeps the lists from reading the events of all accounts, or of both modes, in the order of their ids. It needs only columns of the index.
 * Where nearly all events belong to one account, PostgreSQL expects the same number of rows from the index of accounts and from the primary key.
 * The range in addition to the equality lowers the estimate for the index of accounts.
 */
const ofAccount = `${equalByIndex("account_id", "$1")} and ${onlyByIndex("account_id = $1", "length(mode)")}`;

interface EventPage {
  type: EventType | undefined;
  limit: number;
  /** The newest entries to skip. */
  offset: number;
}

interface CountedEvents<Event = SendEvent> {
  total: number;
  events: Event[];
}

/** Newest first, which is the order of ids. */
export async function listEvents(
  db: AccountDatabase,
  modes: readonly Mode[],
  page: EventPage,
): Promise<CountedEvents<ListedEvent>> {
  const { limit, offset } = page;
  const read = await (offset > maxShallowOffset ? readDeepPage(db, modes, page) : readNewPage(db, modes, page));
  // The page is short when the counts have entries that the table lacks.
  const isComplete = read.events.length >= Math.min(limit, read.total - offset);
  const mustScan = !isComplete && offset <= maxScannedOffset;
  const { total, events } = mustScan ? await scanPage(db, modes, page) : read;
  return { total, events: await withFactsOfSend(db, events) };
}

function listsOf(type: EventType | undefined): readonly EventType[] {
  return type === undefined ? eventTypes : [type];
}

/** Reads the months that have the entries of the page and those before it, and no partition of other months. */
async function readNewPage(
  db: AccountDatabase,
  modes: readonly Mode[],
  { type, limit, offset }: EventPage,
): Promise<CountedEvents> {
  const rows = await db.query<CountedRow>({
    // Planned for all values, so each index has its own statement.
    name: type === undefined ? "list-new-events" : "list-new-events-of-type",
    text: `
      ${rangesOfLists}
      select counted.total, page.*
      from counted
      left join (
        select *
        from (
          ${ofEachMode(
            (mode) => `
            select entry.*
            from ranges
            cross join lateral (
              select ${eventColumns}
              from events
              where account_id = $1
                and mode = ${mode}
                and ${ofAccount}
                ${type === undefined ? "" : "and event_type = $6"}
                and id >= ranges.first_id
                and id < ranges.end_id
              order by id desc
              limit $4::bigint + $5
            ) as entry`,
          )}
        ) as entries
        order by id desc
        limit $5
        offset $4
      ) as page on true
      order by page.id desc`,
    values: [db.accountId, modes, listsOf(type), offset, limit, ...(type === undefined ? [] : [type])],
    isPlannedOnce: true,
  });
  return countedEvents(rows);
}

/** Does not trust the counts per month: reads the list from its new end, however many months have none of its entries. */
async function scanPage(
  db: AccountDatabase,
  modes: readonly Mode[],
  { type, limit, offset }: EventPage,
): Promise<CountedEvents> {
  const rows = await db.query<CountedRow>({
    name: "list-events",
    text: `
      select counted.total, page.*
      from (select ${totalOfLists("$6")} as total) as counted
      left join (
        select *
        from (
          ${ofEachMode(
            (mode) => `
            select ${eventColumns}
            from events
            where account_id = $1
              and mode = ${mode}
              and ${ofAccount}
              and ($3::text is null or event_type = $3)
            order by id desc
            limit $4::bigint + $5`,
          )}
        ) as entries
        order by id desc
        limit $4
        offset $5
      ) as page on true
      order by page.id desc`,
    values: [db.accountId, modes, type ?? null, limit, offset, listsOf(type)],
    isPlannedEachTime: true,
  });
  return countedEvents(rows);
}

async function readDeepPage(
  db: AccountDatabase,
  modes: readonly Mode[],
  { type, limit, offset }: EventPage,
): Promise<CountedEvents> {
  const entries = (mode: string, conditions: string) =>
    `select id, mode from events where account_id = $1 and mode = ${mode} and ${ofAccount} and ($6::text is null or event_type = $6) and ${conditions}`;
  const rows = await db.query<CountedRow>({
    name: "list-events-far-back",
    text: `
      ${deepPage(entries)}
      select counted.total, found.*
      from counted
      left join (
        select event.*
        from page
        cross join lateral ${indexLookup(`
          select ${eventColumns}
          from events
          where account_id = $1
            and id = page.id`)} as event
      ) as found on true
      order by found.id desc`,
    values: [db.accountId, modes, listsOf(type), offset, limit, type ?? null],
    isPlannedEachTime: true,
  });
  return countedEvents(rows);
}

type CountedRow = { total: number } & (SendEvent | { id: null });

/** An empty page is one row that has only the total. */
function countedEvents(rows: CountedRow[]): CountedEvents {
  return { total: rows[0]?.total ?? 0, events: rows.filter((row) => row.id !== null) };
}

/** A search by recipient that the index cannot answer scans at most this many events per page; the caller continues from `nextBefore`. */
const maxScanned = 1_000;

/**
 * Newest first, from `before` on. `nextBefore` is the id to continue from; undefined at the end of the list. A page can
 * have fewer than `limit` events and still not be the last.
 */
export async function findEvents(
  db: AccountDatabase,
  modes: readonly Mode[],
  filter: EventFilter,
): Promise<{ events: ListedEvent[]; nextBefore: string | undefined }> {
  const { type, sendId, recipient, before, since, until, limit } = filter;
  if (recipient !== undefined && sendId === undefined) {
    const found = await searchEvents(db, modes, filter);
    if (found !== undefined) return { ...found, events: await withFactsOfSend(db, found.events) };
  }
  const scanLimit = recipient === undefined ? limit + 1 : maxScanned;
  const month =
    sendId === undefined
      ? await findOldestMonthNeeded(db, { modes, lists: listsOf(type), wanted: scanLimit, before, until })
      : undefined;
  const rows = await db.query<SendEvent & ScannedRow>({
    name: "find-events",
    text: `
      ${sendId === undefined ? "" : ofSend}
      select *
      from (
        select *, $8::text is null or recipient = $8 as "isWanted", row_number() over (order by id desc) as "scanPosition"
        from (
          select *
          from (
            ${sendId === undefined ? ofEachMode((mode) => candidatesOf("events", `mode = ${mode} and ${ofAccount}`)) : candidatesOf("of_send", "mode = any ($2)")}
          ) as entries
          order by id desc
          limit $7
        ) as candidates
      ) as scanned
      where "isWanted" or "scanPosition" = $7
      order by id desc
      limit $10`,
    values: [
      db.accountId,
      modes,
      type ?? null,
      before ?? null,
      since ?? null,
      until ?? null,
      scanLimit,
      recipient ?? null,
      sendId ?? null,
      limit + 2,
      month ?? null,
    ],
    isPlannedEachTime: true,
  });
  const { wanted, nextBefore } = keysetPage(rows, { limit, scanLimit });
  return { events: await withFactsOfSend(db, wanted), nextBefore };
}

/** SQL: at most `$7` events of the filter, newest first. */
function candidatesOf(table: string, ofMode: string): string {
  return `
            select ${eventColumns}
            from ${table}
            where account_id = $1
              and ${ofMode}
              and ($3::text is null or event_type = $3)
              and ($4::uuid is null or id < $4)
              and ($5::timestamptz is null or id >= first_id_at($5))
              and ($6::timestamptz is null or id < first_id_at($6))
              and ($11::timestamptz is null or id >= first_id_at($11))
              and ($9::uuid is null or send_id = $9)
            order by id desc
            limit $7`;
}

/** A send has few events and they have an index. `materialized` makes the planner use that index. */
const ofSend = `
      with of_send as materialized (
        select id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype, complaint_type,
          suppression_reason, suppressed_at, reply_status, reply, reporting_mta, duration_ms
        from events
        where send_id = $9
          and id >= first_id_at(time_of_id($9))
      )`;
