import type { Database } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";

const scannedPerBatch = 2_000;

/** Copies that outlive their week, and contents that arrived without a partition. Both are deleted row by row. */
export type ContentRows =
  | "kept_contents"
  | "send_contents_default"
  | "kept_attachment_chunks"
  | "attachment_chunks_default";

/**
 * Deletes the contents with ids below `endId` whose send is no longer in the queue. Serves all accounts. Returns the number of rows.
 *
 * 1. The retention of a scheduled send's content in `kept_contents` begins with `counted_from`, which is later than its id.
 * 2. Chunks of attachments stay while the content of their send exists: the operator can retry it, and the attachments are read then.
 * 3. Nothing is deleted while the queued sends of an account that moves between cells are not in a queue of this cell (migration 0088).
 */
export async function deleteFinishedContents(db: Database, table: ContentRows, endId: string): Promise<number> {
  let deleted = 0;
  for (let after: string | null = "00000000-0000-0000-0000-000000000000"; after !== null; ) {
    const batch = await deleteSome(db, table, after, endId);
    deleted += batch.deleted;
    after = batch.last;
  }
  return deleted;
}

/**
 * A retry of the operator can queue a send at the same moment. It locks the content first (`lockedContentOf`), so either this
 * transaction skips the row or the retry finds no content. The second statement sees every retry that was committed before the lock.
 */
function deleteSome(db: Database, table: ContentRows, after: string, endId: string) {
  return db.withTransaction(async (tx) => {
    const rows = await tx.query<{ id: string | null; last: string | null }>({
      name: `lock-finished-${table}`,
      text: `
        with scanned as materialized (
          select id
          from ${table}
          where id > $1
            and id < $2
          order by id
          limit $3
        ), finished as materialized (
          select content.id
          -- A send has several chunks.
          from (select distinct id from scanned) as scanned
          cross join lateral (
            select c.id
            from ${table} c
            where c.id = scanned.id
              and ${isFinished(table, "scanned.id")}
              ${table === "kept_contents" ? "and coalesce(first_id_at(c.counted_from) <= $2, true)" : ""}
            for update skip locked
          ) as content
        )
        select finished.id, (select max(id::text collate "C") from scanned) as last
        from (select) as one
        left join finished on true`,
      values: [after, endId, scannedPerBatch],
    });
    const deleted = await tx.query({
      name: `delete-finished-${table}`,
      text: `
        delete from ${table} c
        using unnest($1::uuid[]) as finished (id)
        where ${equalByIndex("c.id", "finished.id")}
          and ${isFinished(table, "finished.id")}
        returning c.id`,
      values: [rows.flatMap(({ id }) => id ?? [])],
    });
    return { deleted: deleted.length, last: rows[0]?.last ?? null };
  });
}

function isFinished(table: ContentRows, id: string): string {
  const isOfAttachments = table === "kept_attachment_chunks" || table === "attachment_chunks_default";
  return `not exists ${indexLookup(`select from send_queue q where q.id = ${id}`)}
              and not exists ${indexLookup(`select from scheduled_sends p where p.id = ${id}`)}
              and not (select keeps_rows_of_moves())
              ${isOfAttachments ? hasNoContent(id) : ""}`;
}

function hasNoContent(id: string): string {
  return `and not exists ${indexLookup(`select from send_contents stored where stored.id = ${id}`)}
              and not exists ${indexLookup(`select from kept_contents kept where kept.id = ${id}`)}`;
}
