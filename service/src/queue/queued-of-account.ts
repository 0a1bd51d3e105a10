import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";

const scannedPerPage = 20_000;

export interface QueuedFilter {
  accountId: string;
  /** Only sends that the API accepted before this time. */
  before?: string;
}

/** SQL: the end of the ids that a filter with this time selects; without a time, of all ids. */
export function queueEnd(before: string): string {
  return `coalesce(first_id_at(${before}::timestamptz), 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;
}

export interface QueuedCount {
  state: "ready" | "waiting" | "parked" | "scheduled" | "leased" | "in-doubt";
  sends: number;
  recipients: number;
  oldestAt: string;
  newestAt: string;
}

interface CountedQueue extends QueuedFilter {
  /** Undefined: live and test mail. */
  mode?: Mode;
}

/** For the operator: the queued sends of one account by state. Reads the whole queue page by page: there is no index by account. */
export async function countQueued(db: Queryable, filter: CountedQueue): Promise<QueuedCount[]> {
  const counts = new Map<QueuedCount["state"], QueuedCount>();
  let after: string | null = "00000000-0000-0000-0000-000000000000";
  while (after !== null) {
    const rows = await countPage(db, filter, after);
    for (const { state, ...count } of rows)
      if (state !== null) counts.set(state, sum(counts.get(state), { state, ...count }));
    after = rows[0]?.last ?? null;
  }
  const scheduled = await countScheduled(db, filter);
  return [...counts.values(), ...(scheduled === undefined ? [] : [scheduled])];
}

async function countScheduled(
  db: Queryable,
  { accountId, mode, before }: CountedQueue,
): Promise<QueuedCount | undefined> {
  const [row] = await db.query<QueuedCount>({
    name: "count-scheduled-of-account",
    text: `
      select 'scheduled' as state, count(*) as sends, sum(cardinality(recipients))::int8 as recipients, min(time_of_id(id)) as "oldestAt",
        max(time_of_id(id)) as "newestAt"
      from scheduled_sends
      where account_id = $1
        and id < ${queueEnd("$2")}
        and ($3::text is null or mode = $3)
      having count(*) > 0`,
    values: [accountId, before ?? null, mode ?? null],
  });
  return row;
}

type PageRow = { last: string | null } & (QueuedCount | ({ state: null } & Omit<QueuedCount, "state">));

/** One row for each state. A page without sends of the account is one row with the end of the scan and nothing else. */
async function countPage(db: Queryable, { accountId, mode, before }: CountedQueue, after: string): Promise<PageRow[]> {
  return db.query<PageRow>({
    name: "count-queued-of-account",
    text: `
      with scanned as materialized (
        select id, account_id, mode, state, cardinality(recipients) as recipients
        from send_queue
        where id > $2
          and id < ${queueEnd("$3")}
        order by id
        limit $4
      )
      select page.last, counted.state, counted.sends, counted.recipients, counted.oldest_at as "oldestAt",
        counted.newest_at as "newestAt"
      from (select max(id::text collate "C") as last from scanned) as page
      left join (
        select state, count(*) as sends, sum(recipients)::int8 as recipients, min(time_of_id(id)) as oldest_at,
          max(time_of_id(id)) as newest_at
        from scanned
        where account_id = $1
          and ($5::text is null or mode = $5)
        group by state
      ) as counted on true`,
    values: [accountId, after, before ?? null, scannedPerPage, mode ?? null],
  });
}

/** Pages are in the order of time, so `next` is newer. */
function sum(earlier: QueuedCount | undefined, next: QueuedCount): QueuedCount {
  if (earlier === undefined) return next;
  return {
    ...next,
    sends: earlier.sends + next.sends,
    recipients: earlier.recipients + next.recipients,
    oldestAt: earlier.oldestAt,
  };
}
