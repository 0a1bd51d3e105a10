import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";

const scannedPerBatch = 1_000;
const maxBatchBytes = 32 * 1024 * 1024;

/**
 * Copies the attachments of every queued or scheduled send with an id below `endId`, as `keepUnfinishedContents` does with its content, and those of
 * scheduled sends whose content in `kept_contents` stays longer than their week. The copies of one send are made in one statement, so a send has
 * all of them or none. Serves all accounts. Returns the number of sends.
 */
export async function keepUnfinishedAttachments(
  db: Queryable,
  endId: string,
  maxBytes = maxBatchBytes,
): Promise<number> {
  let kept = 0;
  for (let after: string | null = "00000000-0000-0000-0000-000000000000"; after !== null; ) {
    const batch = await keepSome(db, after, { endId, maxBytes });
    kept += batch?.kept ?? 0;
    after = batch?.last ?? null;
  }
  return kept;
}

/** Ends a batch when its copies exceed the limit of bytes. The first send is copied even if it has more. `last` is null at the end of the queue. */
async function keepSome(db: Queryable, after: string, { endId, maxBytes }: { endId: string; maxBytes: number }) {
  const [row] = await db.query<{ kept: number; last: string | null }>({
    name: "keep-attachments",
    text: `
      with scanned as materialized (
        select distinct unfinished.id, unfinished.attachment_bytes
        from (
          (
            select q.id, q.attachment_bytes
            from send_queue q
            where q.id > $1
              and q.id < $2
            order by q.id
            limit $3
          )
          union all
          (
            select p.id, p.attachment_bytes
            from scheduled_sends p
            where p.id > $1
              and p.id < $2
              and p.attachment_bytes is not null
            order by p.id
            limit $3
          )
          union all
          (
            select c.id, c.attachment_bytes
            from kept_contents c
            where c.id > $1
              and c.id < $2
              and c.attachment_bytes is not null
            order by c.id
            limit $3
          )
        ) as unfinished
        order by unfinished.id
        limit $3
      ), missing as materialized (
        select scanned.id, scanned.attachment_bytes
        from scanned
        left join lateral ${indexLookup(`
          select k.id
          from kept_attachment_chunks k
          where k.id = scanned.id
          limit 1`)} as copy on true
        where scanned.attachment_bytes is not null
          and copy.id is null
      ), sized as materialized (
        select missing.id,
          coalesce(sum(missing.attachment_bytes) over (order by missing.id rows between unbounded preceding and 1 preceding), 0) as bytes_before
        from missing
      ), kept as (
        insert into kept_attachment_chunks (id, part, number, sealed)
        select sized.id, chunk.part, chunk.number, chunk.sealed
        from sized
        cross join lateral ${indexLookup(`
          select c.part, c.number, c.sealed
          from attachment_chunks c
          where c.id = sized.id`)} as chunk
        where sized.bytes_before < $4
        order by sized.id, chunk.part, chunk.number
        on conflict (id, part, number) do nothing
        returning id
      )
      select
        (select count(distinct id) from kept) as kept,
        case when exists (select from sized where bytes_before >= $4)
          then (select max(id::text collate "C") from sized where bytes_before < $4)
          else (select max(id::text collate "C") from scanned) end as last`,
    values: [after, endId, scannedPerBatch, maxBytes],
  });
  return row;
}
