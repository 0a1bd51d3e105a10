import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";

const scannedPerBatch = 1_000;
const maxBatchBytes = 32 * 1024 * 1024;

/**
 * Copies the content of every queued send with an id below `endId` to `kept_contents`, in any state of the queue, so that its week can
 * be dropped. A second copy of the same send changes nothing. Serves all accounts. Returns the number of copies.
 */
export async function keepUnfinishedContents(db: Queryable, endId: string, maxBytes = maxBatchBytes): Promise<number> {
  let kept = 0;
  for (let after: string | null = "00000000-0000-0000-0000-000000000000"; after !== null; ) {
    const batch = await keepSome(db, after, { endId, maxBytes });
    kept += batch?.kept ?? 0;
    after = batch?.last ?? null;
  }
  return kept;
}

/** Ends a batch when its copies exceed the limit of bytes. The first one is copied even if it has more. `last` is null at the end of the queue. */
async function keepSome(db: Queryable, after: string, { endId, maxBytes }: { endId: string; maxBytes: number }) {
  const [row] = await db.query<{ kept: number; last: string | null }>({
    name: "keep-contents",
    text: `
      with scanned as materialized (
        select q.id
        from send_queue q
        where q.id > $1
          and q.id < $2
        order by q.id
        limit $3
      ), missing as materialized (
        select scanned.id
        from scanned
        left join lateral ${indexLookup(`
          select k.id
          from kept_contents k
          where k.id = scanned.id`)} as copy on true
        where copy.id is null
      ), sized as materialized (
        select missing.id, coalesce(sum(content.bytes) over (order by missing.id rows between unbounded preceding and 1 preceding), 0)
          as bytes_before
        from missing
        cross join lateral ${indexLookup(`
          select octet_length(c.sealed) as bytes
          from send_contents c
          where c.id = missing.id`)} as content
      ), kept as (
        insert into kept_contents (id, sealed)
        select sized.id, content.sealed
        from sized
        cross join lateral ${indexLookup(`
          select c.sealed
          from send_contents c
          where c.id = sized.id`)} as content
        where sized.bytes_before < $4
        order by sized.id
        on conflict (id) do nothing
        returning id
      )
      select
        (select count(*) from kept) as kept,
        case when exists (select from sized where bytes_before >= $4)
          then (select max(id::text collate "C") from sized where bytes_before < $4)
          else (select max(id::text collate "C") from scanned) end as last`,
    values: [after, endId, scannedPerBatch, maxBytes],
  });
  return row;
}
