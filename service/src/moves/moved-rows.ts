import type { Queryable, Transaction } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import { uncountColumns, uncountQueued } from "../queue/queued-recipients.ts";

/**
 * The rows of the queues of a frozen account are in `moved_rows`, as JSON, and nowhere else. Taking them deletes them from their tables, so that nothing
 * that works on a queue meets them: claims, retries, expiry, scheduled mail, the sweep of a failover, deliveries of webhooks.
 */
export type MovedKind = "send_queue" | "scheduled_sends" | "webhook_queue";

export interface MovedRow {
  kind: MovedKind;
  id: string;
  /** JSON, without `sealed`. A row of `send_queue` also has `fair_seconds`: how far behind the first one of its mode it is. */
  row: string;
  /** The content of a scheduled send. */
  sealed: Buffer | null;
}

export interface TakenRows {
  taken: number;
  /** Rows that a worker has, or whose outcome is unknown: they stay in the queue. */
  busy: number;
}

const scannedPerPage = 20_000;
const scheduledPerPage = 500;
const maxPageBytes = 8 * 1024 * 1024;
const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * Takes what the queues have of the account. Reads `send_queue` and `webhook_queue` page by page, because they have no index by account: that happens
 * once or twice in a move. `isEverything`: also rows that a worker has.
 */
export async function takeRows(
  tx: Transaction,
  accountId: string,
  { isEverything = false }: { isEverything?: boolean } = {},
): Promise<TakenRows> {
  const total = { taken: 0, busy: 0 };
  for (const takePage of [takeScheduled, takeSends, takeWebhooks]) {
    for (let after: string | null = firstId; after !== null; ) {
      const page: TakenPage = await takePage(tx, accountId, after, isEverything);
      total.taken += page.taken;
      total.busy += page.busy;
      after = page.last;
    }
  }
  return total;
}

interface TakenPage extends TakenRows {
  /** Null at the end. */
  last: string | null;
}

const noPage: TakenPage = { taken: 0, busy: 0, last: null };

/** Parked time does not use up the retry window: `unparkSends` would move `retrying_since` by it. */
const retryingSeconds = `case when q.retrying_since is not null then greatest(0, extract(epoch from
            retry_clock(q.mode) - q.retrying_since - case when q.state = 'parked' then now() - q.due_at else '0' end)) end`;

/** SQL: the step that keeps what the step `taken` deleted. */
function keepTaken(kind: MovedKind): string {
  return `kept as (
        insert into moved_rows (account_id, kind, id, row)
        select $1, '${kind}', id, row
        from taken
        order by id
        on conflict (account_id, kind, id) do update
        set row = excluded.row
      )`;
}

async function takeSends(tx: Transaction, accountId: string, after: string, isEverything: boolean): Promise<TakenPage> {
  const [page] = await tx.query<TakenPage>({
    name: "take-queued-sends",
    text: `
      with scanned as materialized (
        select id, account_id
        from send_queue
        where id > $2
        order by id
        limit ${scannedPerPage}
      ), taken as (
        delete from send_queue q
        using scanned
        where scanned.account_id = $1
          and ${equalByIndex("q.id", "scanned.id")}
          and ($3 or q.state not in ('leased', 'in-doubt'))
        returning q.id, to_jsonb(q) || jsonb_build_object('retrying_seconds', ${retryingSeconds}) as row, ${uncountColumns}
      ), ${keepTaken("send_queue")}, uncounted as (${uncountQueued("taken")}
      )
      select (select max(id::text collate "C") from scanned) as last, (select count(*) from taken) as taken,
        (select count(*) from scanned where account_id = $1) - (select count(*) from taken) as busy`,
    values: [accountId, after, isEverything],
  });
  return page ?? noPage;
}

/** The text of bytea depends on a setting of the session; this one is always read. */
const sealedText = String.raw`jsonb_build_object('sealed', '\x' || encode(q.sealed, 'hex'))`;

async function takeScheduled(tx: Transaction, accountId: string, after: string): Promise<TakenPage> {
  const [page] = await tx.query<TakenPage>({
    name: "take-scheduled-sends",
    text: `
      with scanned as materialized (
        select id, row_number() over in_order as position, sum(octet_length(sealed)) over in_order as bytes
        from (
          select id, sealed
          from scheduled_sends
          where account_id = $1
            and id > $2
          order by id
          limit ${scheduledPerPage}
        ) as next_ones
        window in_order as (order by id rows unbounded preceding)
      ), taken as (
        delete from scheduled_sends q
        using scanned
        where (scanned.position = 1 or scanned.bytes <= ${maxPageBytes})
          and ${equalByIndex("q.id", "scanned.id")}
        returning q.id, to_jsonb(q) || ${sealedText} as row, ${uncountColumns}
      ), ${keepTaken("scheduled_sends")}, uncounted as (${uncountQueued("taken")}
      )
      select max(id::text collate "C") as last, (select count(*) from taken) as taken, 0 as busy
      from scanned
      where position = 1
        or bytes <= ${maxPageBytes}`,
    values: [accountId, after],
  });
  return page ?? noPage;
}

async function takeWebhooks(
  tx: Transaction,
  accountId: string,
  after: string,
  isEverything: boolean,
): Promise<TakenPage> {
  const [page] = await tx.query<TakenPage>({
    name: "take-queued-webhooks",
    text: `
      with scanned as materialized (
        select delivery_id, account_id
        from webhook_queue
        where delivery_id > $2
        order by delivery_id
        limit ${scannedPerPage}
      ), taken as (
        delete from webhook_queue q
        using scanned
        where scanned.account_id = $1
          and ${equalByIndex("q.delivery_id", "scanned.delivery_id")}
          and ($3 or q.state <> 'delivering')
        returning q.delivery_id as id, to_jsonb(q) as row
      ), ${keepTaken("webhook_queue")}
      select (select max(delivery_id::text collate "C") from scanned) as last, (select count(*) from taken) as taken,
        (select count(*) from scanned where account_id = $1) - (select count(*) from taken) as busy`,
    values: [accountId, after, isEverything],
  });
  return page ?? noPage;
}

const droppedPerStep = 5_000;

/** One bounded step. Returns how many rows it deleted. */
export async function dropTakenRows(db: Queryable, accountId: string): Promise<number> {
  const rows = await db.query({
    name: "drop-moved-rows",
    text: `
      delete from moved_rows
      where account_id = $1
        and (kind, id) in (select kind, id from moved_rows where account_id = $1 order by kind, id limit ${droppedPerStep})
      returning id`,
    values: [accountId],
  });
  return rows.length;
}

const rowsPerPage = 1_000;

/** The taken rows of the account in pages of about `maxBytes`, or one larger row. Nothing takes or returns rows meanwhile. */
export async function* readMovedRows(
  db: Queryable,
  accountId: string,
  maxBytes = maxPageBytes,
): AsyncGenerator<MovedRow[]> {
  const first = await findFirstFairAt(db, accountId);
  for (let after: Pick<MovedRow, "kind" | "id"> | undefined = { kind: "scheduled_sends", id: firstId }; after; ) {
    const page: MovedRow[] = await readPage(db, { accountId, after, maxBytes, first });
    if (page.length > 0) yield page;
    after = page.at(-1);
  }
}

interface FirstFairAt {
  live: string | null;
  test: string | null;
}

async function findFirstFairAt(db: Queryable, accountId: string): Promise<FirstFairAt> {
  const [row] = await db.query<FirstFairAt>({
    name: "find-first-moved-send",
    text: `
      select (min((row ->> 'fair_at')::timestamptz) filter (where row ->> 'mode' = 'live'))::text as live,
        (min((row ->> 'fair_at')::timestamptz) filter (where row ->> 'mode' = 'test'))::text as test
      from moved_rows
      where account_id = $1
        and kind = 'send_queue'`,
    values: [accountId],
  });
  return row ?? { live: null, test: null };
}

interface PageOfRows {
  accountId: string;
  after: Pick<MovedRow, "kind" | "id">;
  maxBytes: number;
  first: FirstFairAt;
}

function readPage(db: Queryable, { accountId, after, maxBytes, first }: PageOfRows): Promise<MovedRow[]> {
  return db.query<MovedRow>({
    name: "read-moved-rows",
    text: `
      select kind, id,
        (row - 'sealed' || case when kind = 'send_queue' then jsonb_build_object('fair_seconds', extract(epoch from
          (row ->> 'fair_at')::timestamptz - case row ->> 'mode' when 'live' then $5::timestamptz else $6::timestamptz end
        )) else '{}' end)::text as row,
        decode(substr(row ->> 'sealed', 3), 'hex') as sealed
      from (
        select kind, id, row, row_number() over in_order as position, sum(pg_column_size(row)) over in_order as bytes
        from (
          select kind, id, row
          from moved_rows
          where account_id = $1
            and (kind, id) > ($2, $3)
          order by kind, id
          limit ${rowsPerPage}
        ) as next_ones
        window in_order as (order by kind, id rows unbounded preceding)
      ) as sized
      where position = 1
        or bytes <= $4::bigint
      order by kind, id`,
    values: [accountId, after.kind, after.id, maxBytes, first.live, first.test],
  });
}
