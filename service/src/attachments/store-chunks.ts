import { byteaArray, smallintArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import type { Secret } from "../secret.ts";
import { type Attachment, chunkBytes, countChunks } from "./attachment.ts";
import { sealChunk } from "./seal-chunk.ts";

interface Owner {
  accountId: string;
  sendId: string;
}

export interface StoredChunks {
  chunks: number;
  /** Sealed. */
  bytes: number;
}

/** A statement carries a megabyte, so that sends of others do not wait behind it. */
const chunksPerStatement = 4;

/**
 * Stores the attachments under the id that the send will have. The pending row comes first: whatever happens after it, the chore finds the
 * chunks (storage/unlinked-attachments.ts). The accept statement links them.
 */
export async function storeAttachments(
  db: Queryable,
  key: Secret,
  owner: Owner,
  attachments: Attachment[],
): Promise<StoredChunks> {
  await addPending(db, owner);
  // crash point: attachments-pending
  let stored: StoredChunks = { chunks: 0, bytes: 0 };
  for (const chunks of inGroups(sealedChunks(key, owner, attachments))) {
    await addChunks(db, owner.sendId, chunks);
    // crash point: chunks-stored
    const bytes = chunks.reduce((sum, { sealed }) => sum + sealed.length, stored.bytes);
    stored = { chunks: stored.chunks + chunks.length, bytes };
  }
  return stored;
}

/**
 * Deletes the chunks of mails that made no send. Only pending ones: a commit whose answer was lost has linked its own. An accept statement
 * in progress has locked the row, and this one skips it; an accept statement that comes later finds no row and accepts nothing.
 */
export async function deletePendingAttachments(db: Queryable, accountId: string, sendIds: string[]): Promise<void> {
  await db.query({
    name: "delete-pending-attachments",
    text: `
      with unlinked as materialized (
        select send_id
        from pending_attachments
        where account_id = $1
          and send_id = any ($2::uuid[])
        order by send_id
        for update skip locked
      ), cleared as (
        delete from pending_attachments
        where send_id in (select send_id from unlinked)
      )
      delete from attachment_chunks c
      where c.id in (select send_id from unlinked)
        and c.id = any ($2::uuid[])`,
    values: [accountId, sendIds],
  });
}

interface SealedChunk {
  part: number;
  number: number;
  sealed: Buffer;
}

/** Sealed when their turn comes: no more than those of one statement are in memory. */
function* sealedChunks(key: Secret, owner: Owner, attachments: Attachment[]): Generator<SealedChunk> {
  for (const [part, attachment] of attachments.entries()) {
    const count = countChunks(attachment);
    for (let number = 0; number < count; number++) {
      const bytes = attachment.bytes.subarray(number * chunkBytes, (number + 1) * chunkBytes);
      yield { part, number, sealed: sealChunk(key, { ...owner, part, number, count }, bytes) };
    }
  }
}

function* inGroups(chunks: Iterable<SealedChunk>): Generator<SealedChunk[]> {
  let group: SealedChunk[] = [];
  for (const chunk of chunks) {
    group.push(chunk);
    if (group.length < chunksPerStatement) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function addPending(db: Queryable, { accountId, sendId }: Owner): Promise<void> {
  await db.query({
    name: "add-pending-attachments",
    text: `
      insert into pending_attachments (account_id, send_id)
      values ($1, $2)`,
    values: [accountId, sendId],
  });
}

async function addChunks(db: Queryable, sendId: string, chunks: SealedChunk[]): Promise<void> {
  await db.query({
    name: "add-attachment-chunks",
    text: `
      insert into attachment_chunks (id, part, number, sealed)
      select $1, chunk.part, chunk.number, chunk.sealed
      from unnest($2::smallint[], $3::smallint[], $4::bytea[]) as chunk (part, number, sealed)`,
    values: [
      sendId,
      smallintArray(chunks.map(({ part }) => part)),
      smallintArray(chunks.map(({ number }) => number)),
      byteaArray(chunks.map(({ sealed }) => sealed)),
    ],
  });
}
