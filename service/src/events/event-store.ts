import type { AccountDatabase } from "../db/database.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import { findOldestMonthNeeded, totalOfLists } from "../db/list-counts.ts";
import type { Mode } from "../mode.ts";

export const eventTypes = ["Delivery", "Bounce", "Complaint", "Suppression"] as const;
export type EventType = (typeof eventTypes)[number];

/** One thing that happened to one recipient of a send. */
export interface SendEvent {
  id: string;
  sendId: string;
  type: EventType;
  at: string;
  recipient: string;
  bounceType: "Permanent" | "Transient" | null;
  bounceSubtype: string | null;
  complaintType: string | null;
  suppressionReason: "hard_bounce" | "complaint" | null;
  suppressedAt: string | null;
}

const columns = `id, send_id as "sendId", event_type as type, event_at as at, recipient,
          bounce_type as "bounceType", bounce_subtype as "bounceSubtype", complaint_type as "complaintType",
          suppression_reason as "suppressionReason", suppressed_at as "suppressedAt"`;

interface EventPage {
  type: EventType | undefined;
  limit: number;
  /** The newest entries to skip; the query still reads them. */
  offset: number;
}

/** Newest first, which is the order of ids. */
export async function listEvents(db: AccountDatabase, mode: Mode, page: EventPage) {
  const { limit, offset } = page;
  const lists = listsOf(page.type);
  const month = await findOldestMonthNeeded(db, { mode, lists, wanted: offset + limit });
  const read = await readPage(db, mode, page, month ?? new Date().toISOString());
  // The page is short when an event of an older month arrived after the count, or events were deleted.
  const isComplete = read.events.length >= Math.min(limit, read.total - offset);
  return isComplete ? read : readPage(db, mode, page, undefined);
}

function listsOf(type: EventType | undefined): readonly EventType[] {
  return type === undefined ? eventTypes : [type];
}

async function readPage(
  db: AccountDatabase,
  mode: Mode,
  { type, limit, offset }: EventPage,
  since: string | undefined,
): Promise<{ total: number; events: SendEvent[] }> {
  const rows = await db.query<{ total: number } & (SendEvent | { id: null })>({
    name: "list-events",
    text: `
      select counted.total, page.*
      from (select ${totalOfLists("$6")} as total) as counted
      left join (
        select ${columns}
        from events
        where account_id = $1
          and mode = $2
          and ($3::text is null or event_type = $3)
          and ($7::timestamptz is null or id >= first_id_at($7))
        order by id desc
        limit $4
        offset $5
      ) as page on true
      order by page.id desc`,
    values: [db.accountId, mode, type ?? null, limit, offset, listsOf(type), since ?? null],
    isPlannedEachTime: true,
  });
  // An empty page is one row that has only the total.
  const events: SendEvent[] = rows.filter((row) => row.id !== null);
  return { total: rows[0]?.total ?? 0, events };
}

export interface EventFilter {
  type: EventType | undefined;
  sendId: string | undefined;
  /** In lower case. */
  recipient: string | undefined;
  before: string | undefined;
  since: string | undefined;
  until: string | undefined;
  limit: number;
}

/** A search by recipient scans at most this many events per page; the caller continues from `nextBefore`. */
const maxScanned = 10_000;

/**
 * Newest first, from `before` on. `nextBefore` is the id to continue from; undefined at the end of the list. A page can
 * have fewer than `limit` events and still not be the last.
 */
export async function findEvents(
  db: AccountDatabase,
  mode: Mode,
  filter: EventFilter,
): Promise<{ events: SendEvent[]; nextBefore: string | undefined }> {
  const { type, sendId, recipient, before, since, until, limit } = filter;
  const scanLimit = recipient === undefined ? limit + 1 : maxScanned;
  const month =
    sendId === undefined
      ? await findOldestMonthNeeded(db, { mode, lists: listsOf(type), wanted: scanLimit, before, until })
      : undefined;
  const rows = await db.query<SendEvent & ScannedRow>({
    name: "find-events",
    text: `
      ${sendId === undefined ? "" : ofSend}
      select *
      from (
        select *, $8::text is null or recipient = $8 as "isWanted", row_number() over (order by id desc) as "scanPosition"
        from (
          select ${columns}
          from ${sendId === undefined ? "events" : "of_send"}
          where account_id = $1
            and mode = $2
            and ($3::text is null or event_type = $3)
            and ($4::uuid is null or id < $4)
            and ($5::timestamptz is null or id >= first_id_at($5))
            and ($6::timestamptz is null or id < first_id_at($6))
            and ($11::timestamptz is null or id >= first_id_at($11))
            and ($9::uuid is null or send_id = $9)
          order by id desc
          limit $7
        ) as candidates
      ) as scanned
      where "isWanted" or "scanPosition" = $7
      order by id desc
      limit $10`,
    values: [
      db.accountId,
      mode,
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
  return { events: wanted, nextBefore };
}

/** A send has few events and they have an index. `materialized` makes the planner use that index. */
const ofSend = `
      with of_send as materialized (
        select id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype, complaint_type,
          suppression_reason, suppressed_at
        from events
        where send_id = $9
          and id >= first_id_at(time_of_id($9))
      )`;
