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

/** The audit entry is in the commit that reads the content, so nobody reads one without it. */
export async function readContent(
  db: AccountDatabase,
  keys: SecretPair,
  { modes, domain }: VisibleSends,
  id: string,
): Promise<ContentResult> {
  const [row] = await db.query<ContentRow>({
    name: "read-content",
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
        from: "found where found.sealed is not null",
      })}
      select id, mode, from_address as "from", to_addresses as recipients, to_count as "toCount", cc_count as "ccCount",
        reply_to as "replyTo", sealed
      from found`,
    values: [db.accountId, modes, id, domain, JSON.stringify(db.actor)],
    isPlannedEachTime: true,
  });
  if (row === undefined) return { kind: "no-send" };
  if (row.sealed === null) return { kind: "not-kept" };
  const opened = openContent(keys, { accountId: db.accountId, sendId: row.id }, row.sealed);
  const { subject, html = null, text = null, headers = [] } = opened;
  const { mode, from, replyTo } = row;
  const content = { id: row.id, mode, from, ...listsOf(row), replyTo, subject, html, text, headers };
  return { kind: "content", content };
}

function listsOf({ recipients, toCount, ccCount }: ContentRow) {
  return {
    to: recipients.slice(0, toCount),
    cc: recipients.slice(toCount, toCount + ccCount),
    bcc: recipients.slice(toCount + ccCount),
  };
}
