import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "./send-request.ts";

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
}

/** While a send is on its way, the queue knows more than the record: leased or in doubt means being processed. */
const statusColumn = `case
            when s.status = 'queued' and (select q.state from send_queue q where q.id = s.id) in ('leased', 'in-doubt')
            then 'processing'
            else s.status end as status`;

/** Of the record `s`. */
export const sendRecordColumns = `s.id, ${statusColumn}, s.from_address as "fromAddress", s.to_addresses as "toAddresses",
          s.subject, s.queued_at as "queuedAt", s.sent_at as "sentAt", s.provider_message_id as "providerMessageId",
          s.error_code as "errorCode", s.error_message as "errorMessage"`;

export async function findSend(db: AccountDatabase, mode: Mode, id: string): Promise<SendRecord | undefined> {
  const [row] = await db.query<SendRecord>({
    name: "find-send",
    text: `
      select ${sendRecordColumns}
      from sends s
      where s.account_id = $1
        and s.mode = $2
        and s.id = $3`,
    values: [db.accountId, mode, id],
    isPlannedEachTime: true,
  });
  return row;
}
