import type { ReportedEvent, ReportedMail } from "./event-texts.ts";

/** A mail with every event that SES reports for it, regardless of copies and order. */
export interface ModelledSend extends ReportedMail {
  accountId: string;
  reported: ReportedEvent[];
}

/** The required final state of the tables. Every row is one line of text, so that sets of rows can be compared. */
export interface FeedbackRecord {
  events: string[];
  statuses: string[];
  suppressions: string[];
  /** The length of each list of each account. */
  counts: string[];
}

interface Outcome {
  isDelivered: boolean;
  bounced: "no" | "transiently" | "permanently";
  hasComplained: boolean;
}

/** A second implementation of the rules in docs/send-lifecycle.md and the API contract, independent of the service. */
export function expectedRecord(sends: ModelledSend[]): FeedbackRecord {
  const events = new Map<string, string>();
  const statuses: string[] = [];
  const suppressions = new Map<string, "hard_bounce" | "complaint">();
  const counts = new Map<string, number>();
  for (const send of sends) {
    const known = send.recipients.map((recipient) => recipient.toLowerCase());
    const outcomes = new Map(
      known.map((recipient): [string, Outcome] => [
        recipient,
        { isDelivered: false, bounced: "no", hasComplained: false },
      ]),
    );
    for (const event of send.reported) {
      if (!("recipients" in event) || event.type === "DeliveryDelay") continue;
      for (const named of new Set(event.recipients.map((recipient) => recipient.toLowerCase()))) {
        const recipient = outcomes.has(named) || known.length > 1 ? named : (known[0] ?? "");
        const occurrence = "feedbackId" in event ? event.feedbackId : event.at;
        const key = [send.messageId, event.type, named, occurrence].join(" ");
        if (!events.has(key)) add(counts, `${send.accountId} ${event.type}`);
        events.set(key, eventLine(send.sendId, event, recipient));
        const outcome = outcomes.get(recipient);
        if (outcome === undefined) continue;
        applyEvent(outcome, event);
        const reason = suppressionReason(event);
        const suppressed = `${send.accountId} ${recipient}`;
        if (reason !== undefined && suppressions.get(suppressed) !== "complaint") suppressions.set(suppressed, reason);
      }
    }
    statuses.push(`${send.sendId} ${statusOf(send.reported, [...outcomes.values()])} ${send.messageId}`);
  }
  for (const suppressed of suppressions.keys()) add(counts, `${suppressed.split(" ")[0]} suppressions`);
  return {
    events: [...events.values()].toSorted(),
    statuses: statuses.toSorted(),
    suppressions: [...suppressions].map(([suppressed, reason]) => `${suppressed} ${reason}`).toSorted(),
    counts: [...counts].map(([list, count]) => `${list} ${count}`).toSorted(),
  };
}

function add(counts: Map<string, number>, list: string): void {
  counts.set(list, (counts.get(list) ?? 0) + 1);
}

function eventLine(
  sendId: string,
  event: Exclude<ReportedEvent, { type: "Send" | "Reject" }>,
  recipient: string,
): string {
  const bounce =
    event.type === "Bounce"
      ? [event.bounceType === "Permanent" ? "Permanent" : "Transient", event.bounceSubType]
      : ["-", "-"];
  const complaint = event.type === "Complaint" ? (event.complaintType ?? "-") : "-";
  return [sendId, event.type, recipient, event.at, ...bounce, complaint].join(" ");
}

function applyEvent(outcome: Outcome, event: ReportedEvent): void {
  if (event.type === "Delivery") outcome.isDelivered = true;
  if (event.type === "Complaint") outcome.hasComplained = true;
  if (event.type !== "Bounce") return;
  if (event.bounceType === "Permanent") outcome.bounced = "permanently";
  else if (outcome.bounced === "no") outcome.bounced = "transiently";
}

function suppressionReason(event: ReportedEvent): "hard_bounce" | "complaint" | undefined {
  if (event.type === "Complaint") return event.complaintType === "not-spam" ? undefined : "complaint";
  return event.type === "Bounce" && event.bounceType === "Permanent" ? "hard_bounce" : undefined;
}

function statusOf(reported: ReportedEvent[], outcomes: Outcome[]): string {
  if (reported.some(({ type }) => type === "Reject")) return "failed";
  if (outcomes.some(({ hasComplained }) => hasComplained)) return "complained";
  if (outcomes.some(hasBounced)) return "bounced";
  return outcomes.some(({ isDelivered }) => isDelivered) ? "delivered" : "sent";
}

/** An out-of-office reply is a transient bounce of a recipient who received the mail; it does not count. */
function hasBounced({ bounced, isDelivered }: Outcome): boolean {
  return bounced === "permanently" || (bounced === "transiently" && !isDelivered);
}
