import type { Queryable } from "../db/database.ts";
import { untilNone } from "./partitions.ts";

export interface DroppedContents {
  partitions: string[];
  /** Rows that were in the default partition. */
  rows: number;
  /** The error that stopped the run. */
  failure: unknown;
}

/** Drops weekly partitions whose retention is over, at most a week late. Keeps a week while a send of it is still queued. */
export async function dropOldContents(db: Queryable, retentionDays: number, at?: string): Promise<DroppedContents> {
  const dropped: DroppedContents = { partitions: [], rows: 0, failure: undefined };
  try {
    for await (const rows of untilNone(() => deleteStrayContents(db, retentionDays, at))) dropped.rows += rows;
    // crash point: contents-deleted
    for await (const name of untilNone(() => dropOldestContents(db, retentionDays, at))) dropped.partitions.push(name);
  } catch (error) {
    dropped.failure = error;
  }
  return dropped;
}

async function dropOldestContents(db: Queryable, retentionDays: number, at: string | undefined) {
  const [row] = await db.query<{ name: string | null }>({
    name: "drop-oldest-contents",
    text: `
      select drop_oldest_contents($1, coalesce($2::timestamptz, now())) as name`,
    values: [retentionDays, at],
  });
  return row?.name;
}

/** Deletes in batches, so that no statement takes long. */
async function deleteStrayContents(db: Queryable, retentionDays: number, at: string | undefined) {
  const [row] = await db.query<{ rows: number }>({
    name: "delete-stray-contents",
    text: `
      with expired as materialized (
        select stray.id
        from send_contents_default stray
        where stray.id < first_id_at(coalesce($2::timestamptz, now()) - make_interval(hours => 24 * greatest($1::int, 7)))
          and not exists (select from send_queue q where q.id = stray.id)
        order by stray.id
        limit 2000
      ), deleted as (
        delete from send_contents_default stray
        using expired
        where stray.id = expired.id
        returning stray.id
      )
      select count(*) as rows
      from deleted`,
    values: [retentionDays, at],
  });
  return row?.rows;
}
