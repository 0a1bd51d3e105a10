import type { AccountDatabase } from "../db/database.ts";
import { monthReaching, totalOfLists } from "../db/list-counts.ts";
import { type LookedAt, readOn } from "../db/read-on.ts";
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
  /** How many newer ones are left out; they are read all the same. */
  offset: number;
}

/** Newest first, which is the order of ids. */
export async function listEvents(db: AccountDatabase, mode: Mode, page: EventPage) {
  const { limit, offset } = page;
  const lists = listsOf(page.type);
  const month = await monthReaching(db, { mode, lists, wanted: offset + limit });
  const read = await readPage(db, mode, page, month ?? new Date().toISOString());
  // One of an older month came in between, or events were dropped.
  const isWhole = read.events.length >= Math.min(limit, read.total - offset);
  return isWhole ? read : readPage(db, mode, page, undefined);
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
  // A page without entries is one row with nothing but the total.
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

/** So many are looked at for a recipient in one go; whoever wants more goes on from there. */
const lookedAtMost = 10_000;

/**
 * Newest first from a place in the list on. `nextBefore` is the place to go on from, undefined at the end; there may be
 * more even when fewer than `limit` were found.
 */
export async function findEvents(
  db: AccountDatabase,
  mode: Mode,
  filter: EventFilter,
): Promise<{ events: SendEvent[]; nextBefore: string | undefined }> {
  const { type, sendId, recipient, before, since, until, limit } = filter;
  const lookAt = recipient === undefined ? limit + 1 : lookedAtMost;
  const month =
    sendId === undefined
      ? await monthReaching(db, { mode, lists: listsOf(type), wanted: lookAt, before, until })
      : undefined;
  const rows = await db.query<SendEvent & LookedAt>({
    name: "find-events",
    text: `
      ${sendId === undefined ? "" : ofSend}
      select *
      from (
        select *, $8::text is null or recipient = $8 as "isWanted", row_number() over (order by id desc) as place
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
      ) as looked_at
      where "isWanted" or place = $7
      order by id desc
      limit $10`,
    values: [
      db.accountId,
      mode,
      type ?? null,
      before ?? null,
      since ?? null,
      until ?? null,
      lookAt,
      recipient ?? null,
      sendId ?? null,
      limit + 2,
      month ?? null,
    ],
    isPlannedEachTime: true,
  });
  const { wanted, nextBefore } = readOn(rows, { limit, lookAt });
  return { events: wanted, nextBefore };
}

/** Those of a send are few and have an index of their own; materialized, so that no other one is used instead. */
const ofSend = `
      with of_send as materialized (
        select id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype, complaint_type,
          suppression_reason, suppressed_at
        from events
        where send_id = $9
          and id >= first_id_at(time_of_id($9))
      )`;
