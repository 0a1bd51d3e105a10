import type { AttachmentFacts } from "../attachments/attachment.ts";
import { openChunks } from "../attachments/read-chunks.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import type { CustomHeader } from "../provider/email-provider.ts";
import type { SecretPair } from "../secret.ts";
import { openContent } from "./content.ts";
import { isVisible, type VisibleSends } from "./send-store.ts";

/** What was sent. Addresses are as the caller wrote them. */
export interface ReadContent {
  id: string;
  mode: Mode;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string | null;
  subject: string;
  html: string | null;
  text: string | null;
  headers: CustomHeader[];
  attachments: AttachmentFacts[];
}

export type ContentResult = { kind: "content"; content: ReadContent } | { kind: "not-kept" } | { kind: "no-send" };

interface ContentRow {
  id: string;
  mode: Mode;
  from: string;
  recipients: string[];
  toCount: number;
  ccCount: number;
  replyTo: string | null;
  sealed: Buffer | null;
}

export async function readContent(
  db: AccountDatabase,
  keys: SecretPair,
  visible: VisibleSends,
  id: string,
): Promise<ContentResult> {
  const row = await findContent(db, visible, { id });
  if (row === undefined) return { kind: "no-send" };
  if (row.sealed === null) return { kind: "not-kept" };
  const opened = openContent(keys, { accountId: db.accountId, sendId: row.id }, row.sealed);
  const { subject, html = null, text = null, headers = [], attachments = [] } = opened;
  const { mode, from, replyTo } = row;
  const content = { id: row.id, mode, from, ...listsOf(row), replyTo, subject, html, text, headers, attachments };
  return { kind: "content", content };
}

export type AttachmentResult =
  | { kind: "attachment"; facts: AttachmentFacts; bytes: AsyncGenerator<Buffer> }
  | { kind: "not-kept" | "no-send" | "no-attachment" };

/** `number` is the position in the list of the content, from 0. */
export async function readAttachment(
  db: AccountDatabase,
  keys: SecretPair,
  visible: VisibleSends,
  { id, number }: { id: string; number: number },
): Promise<AttachmentResult> {
  const row = await findContent(db, visible, { id, attachment: number });
  if (row === undefined) return { kind: "no-send" };
  if (row.sealed === null) return { kind: "not-kept" };
  const owner = { accountId: db.accountId, sendId: row.id };
  const facts = openContent(keys, owner, row.sealed).attachments?.[number];
  if (facts === undefined) return { kind: "no-attachment" };
  const readSealed = (chunk: number) => findChunk(db, row.id, number, chunk);
  return { kind: "attachment", facts, bytes: openChunks(keys, owner, { part: number, facts, readSealed }) };
}

async function findChunk(db: AccountDatabase, id: string, part: number, number: number): Promise<Buffer | undefined> {
  const [row] = await db.query<{ sealed: Buffer | null }>({
    name: "read-attachment-chunk",
    text: `
      select attachment_chunk_of_send(s.account_id, s.id, $3, $4) as sealed
      from sends s
      where s.account_id = $1
        and s.id = $2`,
    values: [db.accountId, id, part, number],
    isPlannedEachTime: true,
  });
  return row?.sealed ?? undefined;
}

/** The audit entry is in the commit that reads the content, so nobody reads one without it. */
async function findContent(
  db: AccountDatabase,
  { modes, domain }: VisibleSends,
  { id, attachment }: { id: string; attachment?: number },
): Promise<ContentRow | undefined> {
  const [row] = await db.query<ContentRow>({
    name: attachment === undefined ? "read-content" : "read-attachment",
    text: `
      with found as materialized (
        select s.id, s.mode, s.from_address, s.to_addresses, s.to_count, s.cc_count, s.reply_to,
          content_of_send($1, s.id) as sealed
        from sends s
        where s.account_id = $1
          and ${isVisible("$2", "$4")}
          and s.id = $3
      ), ${auditEntry({
        action: "content.read",
        actor: "$5",
        target: { kind: "send", id: "found.id" },
        ...(attachment !== undefined && { after: { attachment: "$6::integer" } }),
        from: "found where found.sealed is not null",
      })}
      select id, mode, from_address as "from", to_addresses as recipients, to_count as "toCount", cc_count as "ccCount",
        reply_to as "replyTo", sealed
      from found`,
    values: [
      db.accountId,
      modes,
      id,
      domain,
      JSON.stringify(db.actor),
      ...(attachment === undefined ? [] : [attachment]),
    ],
    isPlannedEachTime: true,
  });
  return row;
}

function listsOf({ recipients, toCount, ccCount }: ContentRow) {
  return {
    to: recipients.slice(0, toCount),
    cc: recipients.slice(toCount, toCount + ccCount),
    bcc: recipients.slice(toCount + ccCount),
  };
}
