import type { Database } from "../src/db/database.ts";
import type { ReportedMail, Told } from "./event-texts.ts";

/** A mail with everything that was told of it, however often and in whatever order. */
export interface ModelledSend extends ReportedMail {
  accountId: string;
  told: Told[];
}

/** What the record must hold in the end. Every entry is one line of text, so that sets of them are compared. */
export interface FeedbackRecord {
  events: string[];
  statuses: string[];
  suppressions: string[];
  /** How many entries each list of each account has. */
  counts: string[];
}

interface Outcome {
  isDelivered: boolean;
  bounced: "no" | "for now" | "for good";
  hasComplained: boolean;
}

/** The rules of docs/send-lifecycle.md and of the interface, told once more and not taken from the service. */
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
    for (const told of send.told) {
      if (!("recipients" in told) || told.type === "DeliveryDelay") continue;
      for (const reported of new Set(told.recipients.map((recipient) => recipient.toLowerCase()))) {
        const recipient = outcomes.has(reported) || known.length > 1 ? reported : (known[0] ?? "");
        const happening = "feedbackId" in told ? told.feedbackId : told.at;
        const key = [send.messageId, told.type, reported, happening].join(" ");
        if (!events.has(key)) add(counts, `${send.accountId} ${told.type}`);
        events.set(key, eventLine(send.sendId, told, recipient));
        const outcome = outcomes.get(recipient);
        if (outcome === undefined) continue;
        note(outcome, told);
        const reason = suppressionBy(told);
        const suppressed = `${send.accountId} ${recipient}`;
        if (reason !== undefined && suppressions.get(suppressed) !== "complaint") suppressions.set(suppressed, reason);
      }
    }
    statuses.push(`${send.sendId} ${statusOf(send.told, [...outcomes.values()])} ${send.messageId}`);
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

function eventLine(sendId: string, told: Exclude<Told, { type: "Send" | "Reject" }>, recipient: string): string {
  const bounce =
    told.type === "Bounce"
      ? [told.bounceType === "Permanent" ? "Permanent" : "Transient", told.bounceSubType]
      : ["-", "-"];
  const complaint = told.type === "Complaint" ? (told.complaintType ?? "-") : "-";
  return [sendId, told.type, recipient, told.at, ...bounce, complaint].join(" ");
}

function note(outcome: Outcome, told: Told): void {
  if (told.type === "Delivery") outcome.isDelivered = true;
  if (told.type === "Complaint") outcome.hasComplained = true;
  if (told.type !== "Bounce") return;
  if (told.bounceType === "Permanent") outcome.bounced = "for good";
  else if (outcome.bounced === "no") outcome.bounced = "for now";
}

function suppressionBy(told: Told): "hard_bounce" | "complaint" | undefined {
  if (told.type === "Complaint") return told.complaintType === "not-spam" ? undefined : "complaint";
  return told.type === "Bounce" && told.bounceType === "Permanent" ? "hard_bounce" : undefined;
}

function statusOf(told: Told[], outcomes: Outcome[]): string {
  if (told.some(({ type }) => type === "Reject")) return "failed";
  if (outcomes.some(({ hasComplained }) => hasComplained)) return "complained";
  if (outcomes.some(hasBounced)) return "bounced";
  return outcomes.some(({ isDelivered }) => isDelivered) ? "delivered" : "sent";
}

/** An out-of-office note is a bounce for now of somebody who got the mail. */
function hasBounced({ bounced, isDelivered }: Outcome): boolean {
  return bounced === "for good" || (bounced === "for now" && !isDelivered);
}

/** What the tables hold, in the same lines. */
export async function readRecord(db: Database): Promise<FeedbackRecord> {
  const events = await linesOf(
    db,
    "all-events",
    `select concat_ws(' ', send_id, event_type, recipient,
       to_char(event_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), coalesce(bounce_type, '-'),
       coalesce(bounce_subtype, '-'), coalesce(complaint_type, '-')) as line
     from events`,
  );
  const statuses = await linesOf(
    db,
    "all-statuses",
    `select concat_ws(' ', id, status, provider_message_id) as line from sends`,
  );
  const suppressions = await linesOf(
    db,
    "all-suppressions",
    `select concat_ws(' ', account_id, email, reason) as line from suppressions`,
  );
  const counts = await linesOf(
    db,
    "all-counts",
    `select concat_ws(' ', account_id, list, sum(count)) as line
     from (
       select account_id, list, count from list_counts
       union all
       select account_id, list, difference from list_changes
     ) as counted
     group by account_id, list
     having sum(count) <> 0`,
  );
  return { events, statuses, suppressions, counts };
}

async function linesOf(db: Database, name: string, text: string): Promise<string[]> {
  const rows = await db.query<{ line: string }>({ name, text });
  return rows.map(({ line }) => line).toSorted();
}

export interface Difference {
  missing: string[];
  /** Not expected at all, or more often than expected. */
  extra: string[];
}

export function compare(expected: string[], found: string[]): Difference {
  const left = new Map<string, number>();
  for (const line of found) left.set(line, (left.get(line) ?? 0) + 1);
  const missing: string[] = [];
  for (const line of expected) {
    const count = left.get(line) ?? 0;
    if (count === 0) missing.push(line);
    else left.set(line, count - 1);
  }
  return { missing, extra: [...left].flatMap(([line, count]) => Array.from({ length: count }, () => line)) };
}

/** For each part of the record how many entries are missing or too many, with an example where there is one. */
export function describeDifferences(expected: FeedbackRecord, found: FeedbackRecord) {
  const parts = (["events", "statuses", "suppressions", "counts"] as const).map((part) => {
    const { missing, extra } = compare(expected[part], found[part]);
    const examples = [
      ...missing.slice(0, 2).map((line) => `- ${line}`),
      ...extra.slice(0, 2).map((line) => `+ ${line}`),
    ];
    return { part, expected: expected[part].length, missing: missing.length, extra: extra.length, examples };
  });
  return {
    text:
      parts.map((one) => `${one.expected} ${one.part}: ${one.missing} missing, ${one.extra} too many`).join("; ") +
      parts.flatMap((one) => one.examples.map((example) => `\n${one.part} ${example}`)).join(""),
    isSame: parts.every((one) => one.missing + one.extra === 0),
  };
}
