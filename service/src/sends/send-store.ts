import type { AccountDatabase, Queryable } from "../db/database.ts";
import type { FirstAnswer } from "./accept-batch.ts";
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

/** What was answered, or would have been, when this send was accepted; its status may have moved on since. */
export async function findAcceptedSend(
  db: Queryable,
  accountId: string,
  mode: Mode,
  id: string,
): Promise<FirstAnswer | undefined> {
  const [row] = await db.query<FirstAnswer>({
    name: "find-accepted-send",
    text: `
      select s.id as "sendId", s.queued_at as "queuedAt", coalesce(s.suppressed_recipients, '{}') as suppressed,
        case when cardinality(s.suppressed_recipients) = cardinality(s.to_addresses) then 'suppressed' else 'queued' end
          as status
      from sends s
      where s.account_id = $1
        and s.mode = $2
        and s.id = $3`,
    values: [accountId, mode, id],
    isPlannedEachTime: true,
  });
  return row;
}
