import type { Database, Queryable } from "../db/database.ts";
import { deleteFinishedContents } from "./finished-contents.ts";
import { keepUnfinishedAttachments } from "./keep-attachments.ts";
import { keepUnfinishedContents } from "./keep-contents.ts";
import { untilNone } from "./partitions.ts";

export interface DroppedContents {
  partitions: string[];
  /** Rows that were in the default partition. */
  rows: number;
  /** Contents of queued sends that were copied, so that their week can be dropped. */
  kept: number;
  /** Copies whose send has left the queue, and contents of scheduled sends after their retention. */
  forgotten: number;
  /** The error that stopped the run. */
  failure: unknown;
}

/**
 * Deletes content whose retention is over: whole weeks, at most a week late. The content of a send that is still queued moves to
 * `kept_contents` and stays there until the send is final; that of a send that was scheduled far ahead has its own retention there. Attachments
 * are deleted after their content. Every step repeats safely after a crash.
 */
export async function dropOldContents(db: Database, retentionDays: number, at?: string): Promise<DroppedContents> {
  const dropped: DroppedContents = { partitions: [], rows: 0, kept: 0, forgotten: 0, failure: undefined };
  try {
    const endId = await endOfRetention(db, retentionDays, at);
    dropped.kept = await keepUnfinishedContents(db, endId);
    await keepUnfinishedAttachments(db, endId);
    // crash point: contents-kept
    dropped.rows = await deleteFinishedContents(db, "send_contents_default", endId);
    dropped.forgotten = await deleteFinishedContents(db, "kept_contents", endId);
    await deleteFinishedContents(db, "attachment_chunks_default", endId);
    await deleteFinishedContents(db, "kept_attachment_chunks", endId);
    // crash point: contents-deleted
    for await (const name of untilNone(() => dropOldestContents(db, retentionDays, at))) dropped.partitions.push(name);
  } catch (error) {
    dropped.failure = error;
  }
  return dropped;
}

/** The first id whose retention is not over. */
async function endOfRetention(db: Queryable, retentionDays: number, at: string | undefined): Promise<string> {
  const [row] = await db.query<{ id: string }>({
    name: "end-of-retention",
    text: `
      select first_id_at(coalesce($2::timestamptz, now()) - make_interval(hours => 24 * greatest($1::int, 7))) as id`,
    values: [retentionDays, at],
  });
  if (row === undefined) throw new Error("the database returned no id");
  return row.id;
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
