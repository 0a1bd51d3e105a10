import { createHash } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";
import { type Attachment, type AttachmentFacts, countChunks } from "./attachment.ts";
import { openChunk } from "./seal-chunk.ts";

interface Owner {
  accountId: string;
  sendId: string;
}

/** A chunk is not there, which retention never does to a queued send. */
export class AttachmentGone extends Error {
  override readonly name = "AttachmentGone";
}

/** The attachments of a claimed send, one chunk after the other. Throws `AttachmentGone`, or when a chunk cannot be decrypted. */
export async function readAttachments(
  db: Queryable,
  keys: SecretPair,
  owner: Owner,
  attachments: AttachmentFacts[],
): Promise<Attachment[]> {
  const read: Attachment[] = [];
  for (const [part, facts] of attachments.entries()) {
    read.push(await readAttachment(db, keys, owner, part, facts));
  }
  return read;
}

/** `part` is its position in the content. */
export async function readAttachment(
  db: Queryable,
  keys: SecretPair,
  owner: Owner,
  part: number,
  facts: AttachmentFacts,
): Promise<Attachment> {
  const chunks: Buffer[] = [];
  const readSealed = (number: number) => findChunk(db, owner, part, number);
  for await (const bytes of openChunks(keys, owner, { part, facts, readSealed })) chunks.push(bytes);
  return { ...facts, bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, facts.size) };
}

interface Part {
  part: number;
  facts: AttachmentFacts;
  readSealed: (number: number) => Promise<Buffer | undefined>;
}

/** The bytes of one attachment in order. The last ones come only after all are known to be those of the request. */
export async function* openChunks(keys: SecretPair, owner: Owner, { part, facts, readSealed }: Part) {
  const count = countChunks(facts);
  const hash = createHash("sha256");
  for (let number = 0; number < count; number++) {
    const sealed = await readSealed(number);
    if (sealed === undefined) throw new AttachmentGone(`chunk ${number} of attachment ${part} is gone`);
    const bytes = openChunk(keys, { ...owner, part, number, count }, sealed);
    hash.update(bytes);
    const isLast = number === count - 1;
    if (isLast && hash.digest("hex") !== facts.sha256) throw new Error(`attachment ${part} has other bytes`);
    yield bytes;
  }
}

async function findChunk(db: Queryable, { accountId, sendId }: Owner, part: number, number: number) {
  const [row] = await db.query<{ sealed: Buffer | null }>({
    name: "find-attachment-chunk",
    text: `
      select attachment_chunk_of_send($1, $2, $3, $4) as sealed`,
    values: [accountId, sendId, part, number],
  });
  return row?.sealed ?? undefined;
}
