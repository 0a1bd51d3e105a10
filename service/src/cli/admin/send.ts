import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { findEvents } from "../../events/event-store.ts";
import { explainBounce } from "../../events/reasons/explain-bounce.ts";
import type { SendEvent } from "../../events/send-event.ts";
import { aligned, say, timeText } from "../../plain-text.ts";
import { type InspectedAttempt, type InspectedSend, inspectSend, listAttempts } from "../../sends/inspect-send.ts";
import { isUuid } from "../find-account.ts";

const shownEvents = 100;

export async function runShowSend(db: Database, id: string): Promise<void> {
  if (!isUuid(id)) throw new AppError("VALIDATION_ERROR", `"${id}" is not the id of a send; an id is a UUID.`);
  const send = await inspectSend(db, id);
  if (send === undefined) throw new AppError("NOT_FOUND", `There is no send ${id}.`);
  const noFilter = { type: undefined, recipient: undefined, before: undefined, since: undefined, until: undefined };
  const [attempts, { events }] = await Promise.all([
    listAttempts(db, id),
    findEvents(db.forAccount(send.accountId), [send.mode], { ...noFilter, sendId: id, limit: shownEvents }),
  ]);
  say([describeRecord(send), describeAttempts(send, attempts), describeEvents(events)].join("\n\n"));
}

function describeRecord(send: InspectedSend): string {
  const rows = [
    ["send", send.id],
    ["account", `${send.accountName ?? "(deleted)"}  ${send.accountId}  ${send.mode}`],
    ["status", send.status],
    ["queue", queueText(send)],
    ["from", send.fromAddress],
    ["to", send.toAddresses.join(", ")],
    ["filtered", send.suppressedRecipients.join(", ")],
    ["subject", send.subject],
    ["accepted", timeText(send.queuedAt)],
    ["submitted", send.sentAt === null ? "" : timeText(send.sentAt)],
    ["SES id", send.providerMessageId ?? ""],
    ["error", send.errorCode === null ? "" : `${send.errorCode}: ${send.errorMessage ?? ""}`],
    ["content", send.hasContent ? "stored" : "deleted"],
  ];
  return aligned(rows.filter(([, value]) => value !== ""));
}

function queueText({ queueState, attempt, dueAt, fairAt }: InspectedSend): string {
  const due = dueAt === null ? "" : timeText(dueAt);
  switch (queueState) {
    case null:
      return "not queued";
    case "scheduled":
      return `scheduled for ${due}`;
    case "ready":
      return `ready after attempt ${attempt ?? 0}; queue position ${fairAt === null ? "unknown" : timeText(fairAt)}`;
    case "waiting":
      return `waiting until ${due} to retry after attempt ${attempt ?? 0}`;
    case "leased":
      return `a worker is submitting it (attempt ${attempt ?? 0}); its lease ends at ${due}`;
    case "in-doubt":
      return `in doubt: the outcome of attempt ${attempt ?? 0} at ${due} is unknown`;
    case "parked":
      return `parked since ${due}: its account is on hold or suspended, or SES denies its domain`;
    default:
      return queueState;
  }
}

function describeAttempts({ providerMessageId }: InspectedSend, attempts: InspectedAttempt[]): string {
  if (attempts.length === 0) return providerMessageId === null ? "No attempt yet." : "One attempt, which SES accepted.";
  const rows = attempts.map(({ attempt, startedAt, outcome, providerMessageId: messageId, requestId, detail }) => [
    `${attempt}`,
    timeText(startedAt),
    outcome,
    [messageId, requestId === null ? null : `request ${requestId}`, detail].filter((part) => part !== null).join("  "),
  ]);
  return `Attempts\n${aligned(rows, { indent: "  ", right: [0] })}`;
}

function describeEvents(events: SendEvent[]): string {
  if (events.length === 0) return "No events.";
  const rows = events
    .toReversed()
    .map((event) => [
      timeText(event.at),
      event.type,
      event.recipient,
      [event.bounceType, event.bounceSubtype, event.complaintType, event.suppressionReason, event.reply]
        .filter((part) => part !== null)
        .join(" "),
    ]);
  return [`Events\n${aligned(rows, { indent: "  " })}`, ...describeBounces(events)].join("\n\n");
}

/** One sentence and the next step for each recipient whose mail bounced. */
function describeBounces(events: SendEvent[]): string[] {
  const bounces = events.filter(({ type }) => type === "Bounce").toReversed();
  if (bounces.length === 0) return [];
  const lines = bounces.map(({ recipient, bounceType, bounceSubtype, replyStatus, reply }) => {
    const { meaning, nextStep } = explainBounce({
      type: bounceType ?? "Transient",
      subtype: bounceSubtype ?? "Undetermined",
      status: replyStatus ?? undefined,
      diagnostic: reply ?? undefined,
    });
    return `  ${recipient}: ${meaning} ${nextStep}`;
  });
  return [`Bounces\n${lines.join("\n")}`];
}
