import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";

export const sendStatuses = [
  "queued",
  "processing",
  "sent",
  "delivered",
  "bounced",
  "complained",
  "suppressed",
  "failed",
] as const;

export interface SendRecord {
  id: string;
  status: (typeof sendStatuses)[number];
  fromAddress: string;
  toAddresses: string[];
  subject: string;
  queuedAt: string;
  sentAt: string | null;
  providerMessageId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  mode: Mode;
  tags: string[] | null;
  /** JSON. */
  metadata: string | null;
  expiresAt: string | null;
  scheduledAt: string | null;
}

/**
 * SQL: the published status. The record of a send on its way says `queued`; the queue knows whether a worker is processing it.
 * `queueState` is the SQL for the state in the queue, null when the send has left it.
 */
export function publishedStatus(queueState: string): string {
  return `case when s.status = 'queued' and ${queueState} in ('leased', 'in-doubt') then 'processing' else s.status end`;
}

/** SQL: the columns of a `SendRecord` except its id, from the record `s`. */
export const sendColumnsWithoutId = `${publishedStatus("(select q.state from send_queue q where q.id = s.id)")} as status, s.from_address as "fromAddress", s.to_addresses as "toAddresses",
          s.subject, s.queued_at as "queuedAt", s.sent_at as "sentAt", s.provider_message_id as "providerMessageId",
          s.error_code as "errorCode", s.error_message as "errorMessage", s.mode, s.tags, s.metadata, s.expires_at as "expiresAt", s.scheduled_at as "scheduledAt"`;

/** SQL: the columns of a `SendRecord`, from the record `s`. */
export const sendRecordColumns = `s.id,
          ${sendColumnsWithoutId}`;

/** Which sends of its account a credential may see. */
export interface VisibleSends {
  modes: readonly Mode[];
  /** Only sends from this domain, if defined. */
  domain: string | undefined;
}

/** SQL: the send `s` is visible. `from_domain` is null where `from_address` has the domain in its canonical form. */
export function isVisible(modes: string, domain: string): string {
  return `s.mode = any (${modes})
        and (${domain}::text is null or coalesce(s.from_domain, written_domain(s.from_address)) = ${domain})`;
}

export async function findSend(
  db: AccountDatabase,
  { modes, domain }: VisibleSends,
  id: string,
): Promise<SendRecord | undefined> {
  const [row] = await db.query<SendRecord>({
    name: "find-send",
    text: `
      select ${sendRecordColumns}
      from sends s
      where s.account_id = $1
        and ${isVisible("$2", "$4")}
        and s.id = $3`,
    values: [db.accountId, modes, id, domain],
    isPlannedEachTime: true,
  });
  return row;
}
