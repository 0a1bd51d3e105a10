import type { Queryable } from "../db/database.ts";
import { confirmSubmissions } from "./confirm-submission.ts";
import { type AttemptMade, settle, storable } from "./settle-statement.ts";

/** The moves of a claimed send, one function each. They serve all accounts and answer whether the send moved by them. */

export interface AcceptedAttempt extends AttemptMade {
  outcome: "accepted";
  providerMessageId: string;
}

/** `known`: the send was sent by this very attempt before. `doubled`: the mail of another attempt is out as well. */
export type SentMove = "sent" | "known" | "doubled";

/** queued → sent. An attempt that counts no more has put its mail out all the same, so it goes the way of evidence. */
export async function markSent(db: Queryable, accepted: AcceptedAttempt[]): Promise<SentMove[]> {
  // crash point: before-sent
  const moved = await settle(db, {
    name: "mark-sent",
    made: accepted,
    columns: [],
    recorded: "held",
    queue: "delete from send_queue q using made",
    record: "status = 'sent', sent_at = now(), provider_message_id = held.provider_message_id",
  });
  // crash point: after-sent
  const late = accepted.filter((_, index) => !moved[index]);
  if (late.length === 0) return moved.map(() => "sent");
  const confirmed = await confirmSubmissions(
    db,
    late.map((attempt) => ({ ...attempt, at: undefined })),
  );
  return moved.map((hasMoved) => {
    const confirmation = hasMoved ? undefined : confirmed.shift();
    if (confirmation?.isDoubled === true) return "doubled";
    return hasMoved || confirmation?.hasMoved === true ? "sent" : "known";
  });
}

export const sendErrorCodes = [
  "PROVIDER_REJECTED",
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_OUTCOME_UNKNOWN",
  "DOMAIN_NOT_VERIFIED",
  "MESSAGE_TOO_LARGE",
  "INTERNAL",
] as const;

export type SendErrorCode = (typeof sendErrorCodes)[number];

export interface FailedAttempt extends AttemptMade {
  code: SendErrorCode;
  /** For the customer. */
  message: string;
}

/** queued → failed */
export function markFailed(db: Queryable, failed: FailedAttempt[]): Promise<boolean[]> {
  return settle(db, {
    name: "mark-failed",
    made: failed,
    columns: [
      { name: "error_code", type: "text", values: failed.map(({ code }) => code) },
      { name: "error_message", type: "text", values: failed.map(({ message }) => storable(message)) },
    ],
    recorded: "made",
    queue: "delete from send_queue q using made",
    record: "status = 'failed', error_code = held.error_code, error_message = held.error_message",
  });
}

/** queued → suppressed: all who were left are on the list by now. */
export function markSuppressed(db: Queryable, made: AttemptMade[]): Promise<boolean[]> {
  return settle(db, {
    name: "mark-suppressed",
    made,
    columns: [],
    recorded: "made",
    queue: "delete from send_queue q using made",
    record: "status = 'suppressed'",
  });
}

export interface LaterAttempt extends AttemptMade {
  delaySeconds: number;
  /** Whether it uses up patience: the next delay is longer, and the time until giving up runs. */
  counts: boolean;
}

/** leased → waiting */
export function retryLater(db: Queryable, later: LaterAttempt[]): Promise<boolean[]> {
  return settle(db, {
    name: "retry-later",
    made: later,
    columns: [
      { name: "delay_seconds", type: "float8", values: later.map(({ delaySeconds }) => delaySeconds) },
      { name: "counts", type: "boolean", values: later.map(({ counts }) => counts) },
    ],
    recorded: "made",
    queue: `update send_queue q
        set state = 'waiting', due_at = now() + make_interval(secs => made.delay_seconds),
            backoff_step = q.backoff_step + made.counts::integer,
            retrying_since = case when made.counts then coalesce(q.retrying_since, retry_clock(q.mode))
                                  else q.retrying_since end
        from made`,
  });
}

export interface ReturnedAttempt extends AttemptMade {
  /** Behind all who wait by now; otherwise at its old place. */
  isLast?: boolean;
}

/** leased → ready: it is not known to be this send's fault. */
export function giveBack(db: Queryable, returned: ReturnedAttempt[]): Promise<boolean[]> {
  return settle(db, {
    name: "give-back",
    made: returned,
    columns: [{ name: "is_last", type: "boolean", values: returned.map(({ isLast = false }) => isLast) }],
    recorded: "made",
    queue: `update send_queue q
        set state = 'ready', due_at = null,
            fair_at = case when made.is_last then greatest(q.fair_at, clock_timestamp()) else q.fair_at end
        from made`,
  });
}

/** leased → in-doubt: nobody knows whether the provider has it. */
export function leaveInDoubt(db: Queryable, made: AttemptMade[]): Promise<boolean[]> {
  return settle(db, {
    name: "leave-in-doubt",
    made,
    columns: [],
    recorded: "made",
    queue: `update send_queue q
        set state = 'in-doubt', due_at = now()
        from made`,
  });
}
