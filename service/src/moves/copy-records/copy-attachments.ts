import type { ChunkPlace } from "../../attachments/seal-chunk.ts";
import type { Database } from "../../db/database.ts";
import type { CopyDeps } from "./copy-deps.ts";
import type { PassOptions } from "./copy-table.ts";
import { isChanged } from "./horizon.ts";
import { readInSource } from "./read-in-source.ts";
import { resealChunk } from "./reseal.ts";

const scannedPerPage = 20_000;

/**
 * Copies the attachments, after the contents, whose copies protect them from deletion. The chunks of a send are stored in earlier commits than
 * the send, so their horizon says nothing: the target is asked which chunks of the changed sends it has.
 */
export async function copyAttachments(deps: CopyDeps, { since, onRows }: PassOptions): Promise<void> {
  for (const mode of ["live", "test"]) {
    let after: string | undefined = "00000000-0000-0000-0000-000000000000";
    while (after !== undefined) {
      const page = await findSends(deps.source, { accountId: deps.accountId, mode, after, since });
      for (const sendId of page.sendIds) onRows("kept_attachment_chunks", await copyChunks(deps, sendId));
      after = page.last;
    }
  }
}

async function findSends(
  source: Database,
  given: { accountId: string; mode: string; after: string; since: string | undefined },
): Promise<{ sendIds: string[]; last: string | undefined }> {
  const [row] = await readInSource(source, (tx) =>
    tx.query<{ sendIds: string[]; last: string | null }>({
      name: "find-sends-with-attachments",
      text: `
        with next as materialized (
          select s.id, s.attachment_bytes is not null and ${isChanged("s", "$4")} as is_wanted
          from sends s
          where s.account_id = $1
            and s.mode = $2
            and s.id > $3
          order by s.id
          limit ${scannedPerPage}
        )
        select coalesce(array_agg(id::text order by id) filter (where is_wanted), '{}') as "sendIds", max(id::text collate "C") as last
        from next`,
      values: [given.accountId, given.mode, given.after, given.since ?? null],
      isPlannedEachTime: true,
    }),
  );
  return { sendIds: row?.sendIds ?? [], last: row?.last ?? undefined };
}

interface Chunk {
  part: number;
  number: number;
}

/** One chunk for each statement: they are large. */
async function copyChunks({ source, target, inTarget, accountId, keys }: CopyDeps, sendId: string): Promise<number> {
  const [stored, copied] = await Promise.all([listChunks(source, sendId), listChunks(target, sendId)]);
  const missing = stored.filter(
    (chunk) => !copied.some((copy) => copy.part === chunk.part && copy.number === chunk.number),
  );
  for (const { part, number } of missing) {
    const place: ChunkPlace = {
      accountId,
      sendId,
      part,
      number,
      count: stored.filter((chunk) => chunk.part === part).length,
    };
    const sealed = await readChunk(source, place);
    // The source deleted it meanwhile.
    if (sealed === undefined) return 0;
    const resealed = resealChunk(keys, place, sealed);
    await inTarget((tx) =>
      tx.query({
        name: "write-chunk",
        text: `
          insert into kept_attachment_chunks (id, part, number, sealed)
          values ($1, $2, $3, $4)
          on conflict (id, part, number) do nothing`,
        values: [sendId, part, number, resealed],
      }),
    );
  }
  return missing.length;
}

function listChunks(db: Database, sendId: string): Promise<Chunk[]> {
  return db.query<Chunk>({
    name: "list-chunks",
    text: `
      select part, number
      from attachment_chunks
      where id = $1
      union
      select part, number
      from kept_attachment_chunks
      where id = $1
      order by part, number`,
    values: [sendId],
    isPlannedEachTime: true,
  });
}

async function readChunk(source: Database, { sendId, part, number }: ChunkPlace): Promise<Buffer | undefined> {
  const [row] = await source.query<{ sealed: Buffer }>({
    name: "read-chunk",
    text: `
      select sealed
      from attachment_chunks
      where id = $1
        and part = $2
        and number = $3
      union all
      select sealed
      from kept_attachment_chunks
      where id = $1
        and part = $2
        and number = $3
      limit 1`,
    values: [sendId, part, number],
    isPlannedEachTime: true,
  });
  return row?.sealed;
}
