import type { AccountDatabase } from "../db/database.ts";
import { findEvents } from "../events/event-store.ts";
import { withFactsOfSend } from "../events/facts-of-send.ts";
import type { ListedEvent } from "../events/send-event.ts";
import { failoverWhileQueued, failoverWhileSubmitting } from "./attempt-details.ts";
import { isVisible, type SendRecord, sendRecordColumns, type VisibleSends } from "./send-store.ts";

export type TimelineEntry =
  | { type: "accepted"; at: string; recipients: number; suppressedRecipients: string[] }
  | ({ type: "attempt"; at: string } & Attempt)
  | { type: "submitted"; at: string; providerMessageId: string }
  | ({ type: "delayed"; at: string } & Delay)
  | { type: "event"; at: string; event: ListedEvent };

/** The provider could not deliver to one recipient yet and tries again. */
export interface Delay {
  recipient: string;
  delayType: string;
  replyStatus: string | null;
  reply: string | null;
  /** When the provider gives up. */
  expiresAt: string | null;
}

export interface Attempt {
  attempt: number;
  /** Both null while the attempt is in progress. */
  endedAt: string | null;
  outcome: "accepted" | "refused" | "try-later" | "unknown" | "returned" | null;
  providerMessageId: string | null;
  requestId: string | null;
  detail: string | null;
}

export interface Timeline {
  send: SendRecord;
  entries: TimelineEntry[];
  /** False when the send has more attempts, delays or events than are listed; then the newest are listed. */
  isComplete: boolean;
}

const shownAtMost = 500;

/** Everything known about a send, oldest first. Undefined when the account has no such send. */
export async function findTimeline(
  db: AccountDatabase,
  visible: VisibleSends,
  id: string,
): Promise<Timeline | undefined> {
  const send = await findTimelineSend(db, visible, id);
  if (send === undefined) return undefined;
  const attempts = await listAttempts(db, id);
  const delays = await listDelays(db, id);
  const { events, nextBefore } = await findEvents(db, [send.mode], { ...everything, sendId: id });
  const entries: TimelineEntry[] = [
    { type: "accepted", at: send.queuedAt, recipients: send.toAddresses.length, suppressedRecipients: send.suppressed },
    ...attempts
      .slice(0, shownAtMost)
      .map((made) => ({ type: "attempt" as const, ...made }))
      .toReversed(),
    ...inProgress(send, attempts),
    ...submitted(send),
    ...delays
      .slice(0, shownAtMost)
      .map((delay) => ({ type: "delayed" as const, ...delay }))
      .toReversed(),
    ...events.map((event) => ({ type: "event" as const, at: event.at, event })).toReversed(),
  ];
  return {
    send,
    // Entries of the same millisecond keep the order above.
    entries: entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
    isComplete: attempts.length <= shownAtMost && delays.length <= shownAtMost && nextBefore === undefined,
  };
}

const everything = {
  type: undefined,
  recipient: undefined,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: shownAtMost,
};

interface TimelineSend extends SendRecord {
  /** As the caller wrote them. */
  suppressed: string[];
  attempt: number | null;
  attemptedAt: string | null;
}

async function findTimelineSend(db: AccountDatabase, { modes, domain }: VisibleSends, id: string) {
  const [row] = await db.query<TimelineSend>({
    name: "find-timeline-send",
    text: `
      select ${sendRecordColumns},
        array(
          select given.address
          from unnest(s.to_addresses, coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]))
            with ordinality as given (address, key)
          where given.key = any (s.suppressed_recipients)
          order by given.ordinality
        ) as suppressed,
        q.attempt, q.attempted_at as "attemptedAt"
      from sends s
      left join send_queue q on q.id = s.id
      where s.account_id = $1
        and ${isVisible("$2", "$4")}
        and s.id = $3`,
    values: [db.accountId, modes, id, domain],
    isPlannedEachTime: true,
  });
  return row;
}

/** Shows only details that Postern wrote: those of the provider may name resources of the operator. */
function listAttempts(db: AccountDatabase, sendId: string) {
  return db.query<{ at: string } & Attempt>({
    name: "list-timeline-attempts",
    text: `
      select attempt, started_at as at, ended_at as "endedAt", outcome, provider_message_id as "providerMessageId",
        request_id as "requestId", case when outcome = 'returned' or detail = any ($4::text[]) then detail end as detail
      from send_attempts
      where send_id = $2
        and exists (select from sends where account_id = $1 and id = $2)
      order by attempt desc
      limit $3`,
    values: [db.accountId, sendId, shownAtMost + 1, [failoverWhileQueued, failoverWhileSubmitting]],
    isPlannedEachTime: true,
  });
}

async function listDelays(db: AccountDatabase, sendId: string) {
  const delays = await db.query<{ sendId: string; at: string } & Delay>({
    name: "list-timeline-delays",
    text: `
      select send_id as "sendId", delayed_at as at, recipient, delay_type as "delayType", reply_status as "replyStatus", reply,
        expires_at as "expiresAt"
      from delivery_delays
      where account_id = $1
        and send_id = $2
      order by id desc
      limit $3`,
    values: [db.accountId, sendId, shownAtMost + 1],
  });
  return withFactsOfSend(db, delays);
}

/** The attempt in progress, which has no row yet. */
function inProgress({ status, attempt, attemptedAt }: TimelineSend, known: Attempt[]): TimelineEntry[] {
  const isKnown = known.some((one) => one.attempt === attempt);
  if (status !== "processing" || attempt === null || attemptedAt === null || isKnown) return [];
  const nothing = { endedAt: null, outcome: null, providerMessageId: null, requestId: null, detail: null };
  return [{ type: "attempt", at: attemptedAt, attempt, ...nothing }];
}

function submitted({ sentAt, providerMessageId }: TimelineSend): TimelineEntry[] {
  return sentAt === null || providerMessageId === null ? [] : [{ type: "submitted", at: sentAt, providerMessageId }];
}
