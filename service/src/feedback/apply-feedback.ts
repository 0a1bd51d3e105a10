import type { Queryable } from "../db/database.ts";
import { isOfMovedAccount } from "../db/sql-state.ts";
import type { AboutMail, Feedback, ServerReply } from "../provider/feedback.ts";
import { confirmSubmissions, type SubmissionEvidence } from "../queue/confirm-submission.ts";
import { findDroppedSends } from "./dropped-sends.ts";
import { eventIdOf, eventTimeOf } from "./event-id.ts";
import { findForgotten } from "./find-forgotten.ts";
import { findUnconfirmed } from "./find-unconfirmed.ts";
import { type RecipientDelay, recordDelays } from "./record-delays.ts";
import { outcomeRanks, type RecipientReport, recordReports } from "./record-reports.ts";
import { rejectSends } from "./reject-sends.ts";
import { setAside } from "./set-aside.ts";

export interface AppliedFeedback extends Effects {
  /**
   * One for each report: whether it is in the record now, or why not. `discarded`: the retention dropped the send, or the operator deleted
   * its account. `moved`: the account lives in another cell, or is on its way, and the report is stored for it (set-aside.ts).
   */
  verdicts: FeedbackVerdict[];
}

export type FeedbackVerdict = "applied" | "moved" | "discarded" | "unknown-send" | "from-the-future";

/** What the statements of a set changed so far. */
interface Effects {
  newEvents: number;
  newSuppressions: number;
  /** Sends that became `sent` by this evidence. */
  confirmed: number;
  doubled: string[];
  /** The provider reported an attempt that the queue has not made yet, which shows a failover: its submission time. */
  aheadAt: string | undefined;
}

const furthestAheadMs = 5 * 60_000;

/**
 * Stores a set of reports. Repeated, late or in any order, they lead to the same record. Any report about an attempt proves that the
 * provider accepted it, so evidence is stored first, in a commit of its own. After a crash before the rest is stored, the feedback
 * source delivers the message again.
 *
 * Reports about accounts that moved to another cell are set aside first. If an account is frozen after that was looked up, the next statement
 * fails as a whole, and the set starts again: what it applied already is there in the copy as well, and changes nothing the second time.
 */
export async function applyFeedback(db: Queryable, given: Feedback[], databaseNowMs: number): Promise<AppliedFeedback> {
  const effects: Effects = { newEvents: 0, newSuppressions: 0, confirmed: 0, doubled: [], aheadAt: undefined };
  const verdicts = await applyOnce(db, given, databaseNowMs, effects).catch((error: unknown) => {
    if (!isOfMovedAccount(error)) throw error;
    return applyOnce(db, given, databaseNowMs, effects);
  });
  return { verdicts, ...effects };
}

async function applyOnce(
  db: Queryable,
  given: Feedback[],
  databaseNowMs: number,
  effects: Effects,
): Promise<FeedbackVerdict[]> {
  const tagged = given.filter((feedback) => isTimely(feedback, databaseNowMs)).filter(isTagged);
  const { unconfirmed, unknownSends, moved } = await findUnconfirmed(db, evidenceOf(tagged));
  await setAside(
    db,
    tagged.flatMap((feedback) => {
      const accountId = moved.get(feedback.sendId);
      return accountId === undefined ? [] : [{ accountId, feedback }];
    }),
  );
  const here = tagged.filter(({ sendId }) => !moved.has(sendId));
  await confirm(db, unconfirmed, effects);
  // crash point: evidence-written
  await rejectSends(
    db,
    here.filter((feedback) => feedback.kind === "reject"),
  );
  const recorded = await recordReports(db, here.flatMap(reportsOf));
  effects.newEvents += recorded.newEvents;
  effects.newSuppressions += recorded.newSuppressions;
  await recordDelays(db, here.flatMap(delaysOf));
  const unknown = new Set(unknownSends);
  const gone = await findGone(db, unknownSends, databaseNowMs);
  return given.map((feedback) => {
    if (!isTimely(feedback, databaseNowMs)) return "from-the-future";
    if (!isTagged(feedback)) return "unknown-send";
    if (moved.has(feedback.sendId)) return "moved";
    if (gone.has(feedback.sendId)) return "discarded";
    return unknown.has(feedback.sendId) ? "unknown-send" : "applied";
  });
}

/** Feedback about these sends can never be applied. */
async function findGone(db: Queryable, unknown: string[], nowMs: number): Promise<Set<string>> {
  if (unknown.length === 0) return new Set();
  const dropped = await findDroppedSends(db, unknown, nowMs);
  return dropped.union(new Set(await findForgotten(db, unknown)));
}

type Tagged = Feedback & { sendId: string; attempt: number };

function isTagged(feedback: Feedback): feedback is Tagged {
  return feedback.sendId !== undefined && feedback.attempt !== undefined;
}

/** An event with a time in the future would head every list until that time. */
function isTimely({ at }: AboutMail, databaseNowMs: number): boolean {
  return Date.parse(at) <= databaseNowMs + furthestAheadMs;
}

async function confirm(db: Queryable, unconfirmed: SubmissionEvidence[], effects: Effects): Promise<void> {
  if (unconfirmed.length === 0) return;
  const confirmations = await confirmSubmissions(db, unconfirmed);
  effects.confirmed += confirmations.filter(({ hasMoved }) => hasMoved).length;
  effects.doubled.push(
    ...unconfirmed.filter((_, index) => confirmations[index]?.isDoubled).map(({ sendId }) => sendId),
  );
  const ahead = unconfirmed.filter((_, index) => confirmations[index]?.isAhead).flatMap(({ at = [] }) => at);
  effects.aheadAt = ahead
    .concat(effects.aheadAt ?? [])
    .toSorted()
    .at(-1);
}

/** Each attempt once, however many events it has. */
function evidenceOf(tagged: Tagged[]): SubmissionEvidence[] {
  const evidence = tagged.map(({ sendId, attempt, providerMessageId, submittedAt }) => ({
    sendId,
    attempt,
    providerMessageId,
    at: submittedAt,
  }));
  return [...new Map(evidence.map((one) => [`${one.sendId}/${one.attempt}/${one.providerMessageId}`, one])).values()];
}

/** The recipients in lower case, each once, with what the server said about it. */
function repliesOf({ recipients, replies = [] }: AboutMail): [string, ServerReply | undefined][] {
  const pairs = recipients.map((recipient, index) => [recipient.toLowerCase(), replies[index]] as const);
  return [...new Map(pairs)];
}

function delaysOf(feedback: Tagged): RecipientDelay[] {
  if (feedback.kind !== "delay") return [];
  const { sendId, providerMessageId, at, feedbackId, delayType, expiresAt } = feedback;
  return repliesOf(feedback).map(([recipient, reply]) => ({
    id: eventIdOf({ sendId, providerMessageId, type: "DeliveryDelay", recipient, feedbackId, at }),
    sendId,
    at: new Date(eventTimeOf({ sendId, at })).toISOString(),
    recipient,
    delayType,
    expiresAt,
    replyStatus: reply?.status,
    reply: reply?.text,
  }));
}

function reportsOf(feedback: Tagged): RecipientReport[] {
  const [type, effect] = effectOf(feedback);
  if (type === undefined) return [];
  const { sendId, providerMessageId, at, feedbackId, reportingMta } = feedback;
  return repliesOf(feedback).map(([recipient, reply]) => ({
    eventId: eventIdOf({ sendId, providerMessageId, type, recipient, feedbackId, at }),
    sendId,
    type,
    at: new Date(eventTimeOf({ sendId, at })).toISOString(),
    recipient,
    bounceType: undefined,
    bounceSubtype: undefined,
    complaintType: undefined,
    replyStatus: reply?.status,
    reply: reply?.text,
    reportingMta,
    suppressAs: undefined,
    ...effect,
  }));
}

type Effect = Pick<RecipientReport, "rank"> & Partial<RecipientReport>;

/** A permanent bounce and a complaint about spam suppress the address. */
function effectOf(feedback: Feedback): ["Delivery" | "Bounce" | "Complaint", Effect] | [undefined] {
  switch (feedback.kind) {
    case "delivery":
      return ["Delivery", { rank: outcomeRanks.delivered, durationMs: feedback.durationMs }];
    case "bounce": {
      const { type, subtype } = feedback.bounce;
      const effect: Effect =
        type === "Permanent"
          ? { rank: outcomeRanks.permanentBounce, suppressAs: "hard_bounce" }
          : { rank: outcomeRanks.transientBounce };
      return ["Bounce", { ...effect, bounceType: type, bounceSubtype: subtype }];
    }
    case "complaint": {
      const { complaintType, isSpam } = feedback;
      return [
        "Complaint",
        { rank: outcomeRanks.complained, complaintType, ...(isSpam && { suppressAs: "complaint" }) },
      ];
    }
    case "send":
    case "reject":
    case "delay":
      return [undefined];
  }
}
