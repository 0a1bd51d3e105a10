import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { hasContent } from "./content-lookup.ts";
import { publishedStatus } from "./send-store.ts";

export interface InspectedSend {
  id: string;
  accountId: string;
  accountName: string | null;
  mode: Mode;
  /** As callers of the API see it. */
  status: string;
  fromAddress: string;
  toAddresses: string[];
  suppressedRecipients: string[];
  subject: string;
  queuedAt: string;
  sentAt: string | null;
  providerMessageId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  hasContent: boolean;
  /** Null when the send has left the queue. */
  queueState: string | null;
  attempt: number | null;
  /** What the state waits for, or since when the send is in it; null for a ready send. */
  dueAt: string | null;
  fairAt: string | null;
}

/** For the operator, over all accounts. The API must not use it. */
export async function inspectSend(db: Queryable, id: string): Promise<InspectedSend | undefined> {
  const [row] = await db.query<InspectedSend>({
    name: "inspect-send",
    text: `
      select s.id, s.account_id as "accountId", a.name as "accountName", s.mode, s.from_address as "fromAddress",
        ${publishedStatus("q.state")} as status,
        s.to_addresses as "toAddresses", coalesce(s.suppressed_recipients, '{}') as "suppressedRecipients", s.subject,
        s.queued_at as "queuedAt", s.sent_at as "sentAt", s.provider_message_id as "providerMessageId",
        s.error_code as "errorCode", s.error_message as "errorMessage",
        ${hasContent("s.id")} or p.id is not null as "hasContent",
        coalesce(q.state, case when p.id is not null then 'scheduled' end) as "queueState", q.attempt,
        coalesce(q.due_at, p.scheduled_at) as "dueAt", q.fair_at as "fairAt"
      from sends s
      left join accounts a on a.id = s.account_id
      left join send_queue q on q.id = s.id
      left join scheduled_sends p on p.id = s.id
      where s.id = $1`,
    values: [id],
    isPlannedEachTime: true,
  });
  return row;
}

export interface InspectedAttempt {
  attempt: number;
  startedAt: string;
  endedAt: string;
  outcome: string;
  providerMessageId: string | null;
  requestId: string | null;
  detail: string | null;
}

/** Oldest first. A send that was accepted at the first try has no rows. */
export async function listAttempts(db: Queryable, sendId: string): Promise<InspectedAttempt[]> {
  return db.query<InspectedAttempt>({
    name: "list-attempts",
    text: `
      select attempt, started_at as "startedAt", ended_at as "endedAt", outcome,
        provider_message_id as "providerMessageId", request_id as "requestId", detail
      from send_attempts
      where send_id = $1
      order by attempt
      limit 200`,
    values: [sendId],
  });
}
