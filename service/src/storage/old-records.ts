import type { Queryable } from "../db/database.ts";
import { isStatementTimeout } from "../db/sql-state.ts";
import { withLockRetries } from "./lock-retries.ts";
import { untilNone } from "./partitions.ts";
import { noteNoRetention, noteRetention } from "./record-retention.ts";

export interface DroppedRecords {
  events: number;
  sends: number;
  keys: number;
  searches: number;
  partitions: string[];
}

const stepSize = 1_000;
/** 8 MB, of which each step reads the keys of some ten thousand sends. */
const keyBlocks = 1_000;
const searchStepSize = 5_000;
const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * Serves all accounts: drops the records of whole months (UTC) that are older than the retention. Every step is a short transaction that
 * leaves the record consistent, so a process may be killed at any moment and the next run continues. docs/adr/0014 says why by rows.
 *
 * 1. Events from before the months that are kept, with their part of the totals.
 * 2. Sends from before them, unless something needs them (`droppable_sends` in migration 0078). An event of a later month keeps its send, so
 *    every event that is listed has its send. All that belongs to a send goes in the commit of the send, except 3.
 * 3. The idempotency keys and search entries of the sends that are gone.
 * 4. Partitions that have no row left.
 */
export async function dropOldRecords(
  db: Queryable,
  retentionDays: number | undefined,
  maxMs: number,
): Promise<DroppedRecords> {
  const deadline = performance.now() + maxMs;
  const dropped: DroppedRecords = { events: 0, sends: 0, keys: 0, searches: 0, partitions: [] };
  if (retentionDays === undefined) await noteNoRetention(db);
  else await dropMonths(db, retentionDays, deadline, dropped);
  // Also without a retention: a run that was interrupted may have left some.
  while (performance.now() < deadline) {
    const keys = await withLockRetries(() => dropOldKeys(db));
    if (keys === null) break;
    dropped.keys += keys;
  }
  while (performance.now() < deadline) {
    const searches = await withLockRetries(() => dropOldSearches(db));
    if (searches === null) break;
    dropped.searches += searches;
  }
  return dropped;
}

async function dropMonths(db: Queryable, retentionDays: number, deadline: number, dropped: DroppedRecords) {
  const noted = await noteRetention(db, retentionDays);
  if (noted === undefined) return;
  const { keptSince } = noted;
  for (let from: string | null = firstId; from !== null; ) {
    if (performance.now() > deadline) return;
    const start: string = from;
    const step = await withLockRetries(() => dropOldEvents(db, start, keptSince));
    dropped.events += step.dropped;
    from = step.nextId;
  }
  for (let after: string | null = firstId; after !== null; ) {
    if (performance.now() > deadline) return;
    const start: string = after;
    const step = await withLockRetries(() => dropOldSends(db, start, keptSince));
    dropped.sends += step.dropped;
    after = step.lastId;
  }
  if (dropped.events > 0) await forgetEmptyCounts(db, keptSince);
  await dropPartitions(db, keptSince, dropped);
}

/** Before vacuum has removed millions of deleted rows, the search for one that is left can exceed its time. The next run repeats it. */
async function dropPartitions(db: Queryable, keptSince: string, dropped: DroppedRecords): Promise<void> {
  try {
    const dropNext = () => withLockRetries(() => dropEmptyRecords(db, keptSince));
    for await (const name of untilNone(dropNext)) dropped.partitions.push(name);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
  }
}

async function dropOldEvents(db: Queryable, from: string, keptSince: string) {
  const [step] = await db.query<{ dropped: number; nextId: string | null }>({
    name: "drop-old-events",
    text: `
      select dropped, next_id as "nextId"
      from drop_old_events($1, $2, $3)`,
    values: [from, keptSince, stepSize],
  });
  return step ?? { dropped: 0, nextId: null };
}

async function dropOldSends(db: Queryable, after: string, keptSince: string) {
  const [step] = await db.query<{ dropped: number; lastId: string | null }>({
    name: "drop-old-sends",
    text: `
      select dropped, last_id as "lastId"
      from drop_old_sends($1, $2, $3)`,
    values: [after, keptSince, stepSize],
  });
  return step ?? { dropped: 0, lastId: null };
}

async function dropOldKeys(db: Queryable): Promise<number | null> {
  const [step] = await db.query<{ dropped: number | null }>({
    name: "drop-old-keys",
    text: `
      select drop_old_keys($1) as dropped`,
    values: [keyBlocks],
  });
  return step?.dropped ?? null;
}

async function dropOldSearches(db: Queryable): Promise<number | null> {
  const [step] = await db.query<{ dropped: number | null }>({
    name: "drop-old-searches",
    text: `
      select drop_old_searches($1) as dropped`,
    values: [searchStepSize],
  });
  return step?.dropped ?? null;
}

async function dropEmptyRecords(db: Queryable, keptSince: string) {
  const [row] = await db.query<{ name: string | null }>({
    name: "drop-empty-records",
    text: `
      select drop_empty_records($1) as name`,
    values: [keptSince],
  });
  return row?.name;
}

/** Counts that have become 0. The total of a list is right with or without them. */
async function forgetEmptyCounts(db: Queryable, keptSince: string): Promise<void> {
  await db.query({
    name: "forget-empty-counts",
    text: `
      with months as (
        delete from list_counts
        where month < $1::timestamptz at time zone 'UTC'
          and count = 0
      )
      delete from list_days
      where day < $1::timestamptz at time zone 'UTC'
        and list <> 'suppressions'
        and count = 0`,
    values: [keptSince],
  });
}
