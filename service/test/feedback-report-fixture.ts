import { randomBytes } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import { applyFeedback } from "../src/feedback/apply-feedback.ts";
import type { Feedback } from "../src/provider/feedback.ts";
import { anAccount } from "./builders.ts";
import { aQueuedSend, aVerifiedDomain } from "./send-builders.ts";
import { change } from "./send-rows.ts";

export interface ReportedSend {
  id: string;
  accountId: string;
  messageId: string;
}

/** Submitted at its first attempt. With `isSent: false` its worker still waits for the answer of the provider. */
export async function aSubmittedSend(db: Database, to: string[], { isSent = true } = {}): Promise<ReportedSend> {
  const accountId = await anAccount(db);
  const fromDomain = await aVerifiedDomain(db, accountId);
  const id = await aQueuedSend(db, { accountId, fromDomain, to });
  await change(
    db,
    `update send_queue
     set state = 'leased', attempt = 1, attempted_at = now(), due_at = now() + interval '1 minute'
     where id = $1`,
    [id],
  );
  const send = { id, accountId, messageId: `m-${randomBytes(8).toString("hex")}` };
  if (isSent) await applyFeedback(db, [aReport(send, { kind: "send" })], Date.now());
  return send;
}

type Common = Pick<
  Feedback,
  "providerMessageId" | "sendId" | "attempt" | "submittedAt" | "at" | "recipients" | "feedbackId"
>;

/** The fields of one kind of feedback; the common ones may be left out. */
export type ReportDetails = Feedback extends infer One
  ? One extends Feedback
    ? Omit<One, keyof Common> & Partial<Common>
    : never
  : never;

export const permanentBounce = { kind: "bounce", bounce: { type: "Permanent", subtype: "NoEmail" } } as const;
export const transientBounce = { kind: "bounce", bounce: { type: "Transient", subtype: "General" } } as const;
export const spamComplaint = { kind: "complaint", complaintType: "abuse", isSpam: true } as const;

/** A report of the provider about the first attempt. */
export function aReport(send: ReportedSend, details: ReportDetails): Feedback {
  const now = new Date().toISOString();
  return {
    providerMessageId: send.messageId,
    sendId: send.id,
    attempt: 1,
    submittedAt: now,
    at: now,
    recipients: [],
    feedbackId: undefined,
    ...details,
  };
}

export async function recordOf(db: Database, { id }: ReportedSend) {
  const [row] = await db.query<{ status: string; messageId: string; code: string | null; isQueued: boolean }>({
    name: "record-of",
    text: `
      select s.status, s.provider_message_id as "messageId", s.error_code as code, q.id is not null as "isQueued"
      from sends s
      left join send_queue q using (id)
      where s.id = $1`,
    values: [id],
  });
  return row;
}

export function eventsOf(db: Database, { id }: ReportedSend) {
  return db.query<Record<string, unknown>>({
    name: "events-of",
    text: `
      select id, event_type as type, recipient, bounce_type as "bounceType", bounce_subtype as "bounceSubtype",
        complaint_type as "complaintType"
      from events
      where send_id = $1
      order by id`,
    values: [id],
  });
}

export function suppressionsOf(db: Database, { accountId }: ReportedSend) {
  return db.query<{ email: string; reason: string }>({
    name: "suppressions-of",
    text: `select email, reason from suppressions where account_id = $1 order by email`,
    values: [accountId],
  });
}
