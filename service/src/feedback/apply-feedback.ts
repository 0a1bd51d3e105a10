import type { Queryable } from "../db/database.ts";
import type { AboutMail, Feedback } from "../provider/feedback.ts";
import { confirmSubmissions, type SubmissionEvidence } from "../queue/confirm-submission.ts";
import { eventIdOf } from "./event-id.ts";
import { findUnconfirmed } from "./find-unconfirmed.ts";
import { outcomeRanks } from "./rank-rule.ts";
import { type RecipientReport, recordReports } from "./record-reports.ts";
import { rejectSends } from "./reject-sends.ts";

export interface AppliedFeedback {
  /** One for each given: whether it is in the record now, or why it cannot be. */
  verdicts: ("applied" | "unknown-send" | "from-the-future")[];
  newEvents: number;
  newSuppressions: number;
  /** Sends that came out of doubt by it. */
  confirmed: number;
  doubled: string[];
  /** The latest hand-over by an attempt of which the queue knew nothing; undefined when there was none. */
  aheadAt: string | undefined;
}

const furthestAheadMs = 5 * 60_000;

/**
 * Writes what the provider tells, in sets. Told twice, late or in any order it leads to the same record. Any report about
 * an attempt proves that the attempt was taken, so evidence comes first; it is a commit of its own, because who dies in
 * between is told again.
 */
export async function applyFeedback(db: Queryable, given: Feedback[], databaseNowMs: number): Promise<AppliedFeedback> {
  const timely = given.filter((feedback) => isTimely(feedback, databaseNowMs));
  const tagged = timely.filter(isTagged);
  const evidence = await confirm(db, tagged);
  // crash point: evidence-written
  await rejectSends(
    db,
    tagged.filter((feedback) => feedback.kind === "reject"),
  );
  const recorded = await recordReports(db, tagged.flatMap(reportsOf));
  const unknown = new Set(evidence.unknownSends);
  return {
    verdicts: given.map((feedback) => {
      if (!isTimely(feedback, databaseNowMs)) return "from-the-future";
      return !isTagged(feedback) || unknown.has(feedback.sendId) ? "unknown-send" : "applied";
    }),
    newEvents: recorded.newEvents,
    newSuppressions: recorded.newSuppressions,
    confirmed: evidence.confirmed,
    doubled: evidence.doubled,
    aheadAt: evidence.aheadAt,
  };
}

type Tagged = Feedback & { sendId: string; attempt: number };

function isTagged(feedback: Feedback): feedback is Tagged {
  return feedback.sendId !== undefined && feedback.attempt !== undefined;
}

/** A time far ahead would sort before everything for as long as it is ahead. */
function isTimely({ at }: AboutMail, databaseNowMs: number): boolean {
  return Date.parse(at) <= databaseNowMs + furthestAheadMs;
}

async function confirm(db: Queryable, tagged: Tagged[]) {
  const evidence = tagged.map(({ sendId, attempt, providerMessageId, submittedAt }) => ({
    sendId,
    attempt,
    providerMessageId,
    at: submittedAt,
  }));
  const { unconfirmed, unknownSends } = await findUnconfirmed(db, once(evidence));
  const confirmations = unconfirmed.length === 0 ? [] : await confirmSubmissions(db, unconfirmed);
  return {
    unknownSends,
    confirmed: confirmations.filter(({ hasMoved }) => hasMoved).length,
    doubled: unconfirmed.filter((_, index) => confirmations[index]?.isDoubled).map(({ sendId }) => sendId),
    aheadAt: unconfirmed
      .filter((_, index) => confirmations[index]?.isAhead)
      .flatMap(({ at = [] }) => at)
      .toSorted()
      .at(-1),
  };
}

function once(evidence: SubmissionEvidence[]): SubmissionEvidence[] {
  return [...new Map(evidence.map((one) => [`${one.sendId}/${one.attempt}/${one.providerMessageId}`, one])).values()];
}

function reportsOf(feedback: Tagged): RecipientReport[] {
  const [type, effect] = effectOf(feedback);
  if (type === undefined) return [];
  const { sendId, providerMessageId, at, feedbackId } = feedback;
  const recipients = new Set(feedback.recipients.map((recipient) => recipient.toLowerCase()));
  return [...recipients].map((recipient) => ({
    eventId: eventIdOf({ sendId, providerMessageId, type, recipient, feedbackId, at }),
    sendId,
    type,
    at,
    recipient,
    bounceType: undefined,
    bounceSubtype: undefined,
    complaintType: undefined,
    suppressAs: undefined,
    ...effect,
  }));
}

type Effect = Pick<RecipientReport, "rank"> & Partial<RecipientReport>;

/** Whom a report blames: an address that bounced for good, and one whose owner complained of spam. */
function effectOf(feedback: Feedback): ["Delivery" | "Bounce" | "Complaint", Effect] | [undefined] {
  switch (feedback.kind) {
    case "delivery":
      return ["Delivery", { rank: outcomeRanks.delivered }];
    case "bounce": {
      const { type, subtype } = feedback.bounce;
      const effect: Effect =
        type === "Permanent"
          ? { rank: outcomeRanks.bouncedForGood, suppressAs: "hard_bounce" }
          : { rank: outcomeRanks.bouncedForNow };
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
