import { createBatch } from "../db/batch.ts";
import type { Queryable } from "../db/database.ts";
import { isOfMovedAccount } from "../db/sql-state.ts";
import { storableText } from "../db/storable-text.ts";
import { type Confirmation, confirmSubmissions } from "./confirm-submission.ts";
import { type AttemptMade, settle } from "./settle-statement.ts";

/** The moves of a claimed send, one function each. They serve all accounts and return whether the send moved. */

export interface AcceptedAttempt extends AttemptMade {
  outcome: "accepted";
  providerMessageId: string;
  /** Whether its account had an endpoint at the claim. If none had, nobody is notified, and the statement looks for no endpoints. */
  hasWebhooks?: boolean;
}

/** `known`: this attempt had already been recorded as sent. `doubled`: the mail of another attempt went out as well. */
export type SentMove = "sent" | "known" | "doubled";

/** leased or in-doubt → sent. An attempt that no longer owns the send has still sent its mail, so it is recorded as evidence. */
export async function markSent(db: Queryable, accepted: AcceptedAttempt[]): Promise<SentMove[]> {
  const notifies = accepted.some(({ hasWebhooks = true }) => hasWebhooks) ? "send.sent" : undefined;
  // crash point: before-sent
  const moved = await settle(db, {
    name: notifies === undefined ? "mark-sent" : "mark-sent-notify",
    made: accepted,
    columns: [],
    storedAttempts: "owned",
    queueMove: "delete from send_queue q using attempts",
    recordUpdate: "status = 'sent', sent_at = now(), provider_message_id = owned.provider_message_id",
    notifies,
  });
  // crash point: after-sent
  const late = accepted.filter((_, index) => !moved[index]);
  if (late.length === 0) return moved.map(() => "sent");
  const confirmed = await confirmLate(db, late);
  return moved.map((hasMoved) => {
    const confirmation = hasMoved ? undefined : confirmed.shift();
    if (confirmation?.isDoubled === true) return "doubled";
    return hasMoved || confirmation?.hasMoved === true ? "sent" : "known";
  });
}

/**
 * The account of a late attempt may have moved to another cell meanwhile, and its record here no longer counts. The event of the provider about
 * the same attempt is relayed to that cell.
 */
async function confirmLate(db: Queryable, late: AcceptedAttempt[]): Promise<Confirmation[]> {
  try {
    return await confirmSubmissions(
      db,
      late.map((attempt) => ({ ...attempt, at: undefined })),
    );
  } catch (error) {
    if (!isOfMovedAccount(error)) throw error;
    if (late.length === 1) return [{ hasMoved: false, isDoubled: false, isAhead: false }];
    const alone = await Promise.all(late.map((attempt) => confirmLate(db, [attempt])));
    return alone.flat();
  }
}

export const sendErrorCodes = [
  "PROVIDER_REJECTED",
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_OUTCOME_UNKNOWN",
  "DOMAIN_NOT_VERIFIED",
  "MESSAGE_TOO_LARGE",
  "CANCELLED",
  "EXPIRED",
  "INTERNAL",
] as const;

export type SendErrorCode = (typeof sendErrorCodes)[number];

export interface FailedAttempt extends AttemptMade {
  code: SendErrorCode;
  /** For the customer. */
  message: string;
}

/** leased or in-doubt → failed */
export function markFailed(db: Queryable, failed: FailedAttempt[]): Promise<boolean[]> {
  return settle(db, {
    name: "mark-failed",
    made: failed,
    columns: [
      { name: "error_code", type: "text", values: failed.map(({ code }) => code) },
      { name: "error_message", type: "text", values: failed.map(({ message }) => storableText(message)) },
    ],
    storedAttempts: "all",
    queueMove: "delete from send_queue q using attempts",
    recordUpdate: "status = 'failed', error_code = owned.error_code, error_message = owned.error_message",
    notifies: "send.failed",
  });
}

/** leased or in-doubt → suppressed: every remaining recipient was suppressed after acceptance. */
export function markSuppressed(db: Queryable, made: AttemptMade[]): Promise<boolean[]> {
  return settle(db, {
    name: "mark-suppressed",
    made,
    columns: [],
    storedAttempts: "all",
    queueMove: "delete from send_queue q using attempts",
    recordUpdate: "status = 'suppressed'",
  });
}

export interface LaterAttempt extends AttemptMade {
  delaySeconds: number;
  /** Whether the retry window runs; if it does, the next delay is longer. */
  usesRetryWindow: boolean;
}

/** leased or in-doubt → waiting */
export function retryLater(db: Queryable, later: LaterAttempt[]): Promise<boolean[]> {
  return settle(db, {
    name: "retry-later",
    made: later,
    columns: [
      { name: "delay_seconds", type: "float8", values: later.map(({ delaySeconds }) => delaySeconds) },
      { name: "uses_retry_window", type: "boolean", values: later.map(({ usesRetryWindow }) => usesRetryWindow) },
    ],
    storedAttempts: "all",
    queueMove: `update send_queue q
        set state = 'waiting', due_at = now() + make_interval(secs => attempts.delay_seconds),
            backoff_step = q.backoff_step + attempts.uses_retry_window::integer,
            retrying_since = case when attempts.uses_retry_window then coalesce(q.retrying_since, retry_clock(q.mode))
                                  else q.retrying_since end
        from attempts`,
  });
}

export interface GivenBackAttempt extends AttemptMade {
  /** Behind all waiting sends; otherwise at its old position. */
  isLast?: boolean;
}

/** leased or in-doubt → ready: nothing was submitted, or the cause does not concern this send. */
export function giveBack(db: Queryable, returned: GivenBackAttempt[]): Promise<boolean[]> {
  return settle(db, {
    name: "give-back",
    made: returned,
    columns: [{ name: "is_last", type: "boolean", values: returned.map(({ isLast = false }) => isLast) }],
    storedAttempts: "all",
    queueMove: `update send_queue q
        set state = 'ready', due_at = null,
            fair_at = case when attempts.is_last then greatest(q.fair_at, clock_timestamp()) else q.fair_at end
        from attempts`,
  });
}

/** leased or in-doubt → parked: the provider denies the domain of the sender. */
export function parkDenied(db: Queryable, made: AttemptMade[]): Promise<boolean[]> {
  return settle(db, {
    name: "park-denied",
    made,
    columns: [],
    storedAttempts: "all",
    queueMove: `update send_queue q
        set state = 'parked', due_at = now()
        from attempts`,
  });
}

/** leased or in-doubt → in-doubt: the provider may have accepted it. `due_at` becomes the end of this attempt. */
export function markInDoubt(db: Queryable, made: AttemptMade[]): Promise<boolean[]> {
  return settle(db, {
    name: "mark-in-doubt",
    made,
    columns: [],
    storedAttempts: "all",
    queueMove: `update send_queue q
        set state = 'in-doubt', due_at = now()
        from attempts`,
  });
}

export type Settlements = ReturnType<typeof openSettlements>;

/** The same moves for one send each. Moves requested during a round trip share the next one. */
export function openSettlements(db: Queryable) {
  return {
    markSent: shared(db, markSent),
    markFailed: shared(db, markFailed),
    markSuppressed: shared(db, markSuppressed),
    retryLater: shared(db, retryLater),
    giveBack: shared(db, giveBack),
    parkDenied: shared(db, parkDenied),
    markInDoubt: shared(db, markInDoubt),
  };
}

function shared<Item, Result>(db: Queryable, move: (db: Queryable, items: Item[]) => Promise<Result[]>) {
  return createBatch<Item, Result>({
    run: (items) => move(db, items),
    maxItems: 200,
    maxBytes: 1_000_000,
    // Texts are cut to 1,000 characters and the rest is short, so the count alone limits a round trip.
    sizeOf: () => 1,
  });
}
