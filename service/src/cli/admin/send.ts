import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { findEvents, type SendEvent } from "../../events/event-store.ts";
import { aligned, say, timeText } from "../../plain-text.ts";
import { type InspectedAttempt, type InspectedSend, inspectSend, listAttempts } from "../../sends/inspect-send.ts";
import { isUuid, misused, readCommandLine } from "../command-options.ts";

const help = `Usage: postern admin send show ID

Shows a send of any account: its record, where it stands in the queue, its attempts and events. It shows addresses.`;

const shownEvents = 100;

export async function runSend(db: Database, args: string[]): Promise<void> {
  const { words } = readCommandLine(args, {}, help);
  const [verb, id = "", ...rest] = words;
  if (verb !== "show" || rest.length > 0) throw misused("Say which send: postern admin send show ID", help);
  if (!isUuid(id)) throw misused(`"${id}" is not the id of a send.`, help);
  const send = await inspectSend(db, id);
  if (send === undefined) throw new AppError("NOT_FOUND", `There is no send ${id}.`);
  const nothing = { type: undefined, recipient: undefined, before: undefined, since: undefined, until: undefined };
  const [attempts, { events }] = await Promise.all([
    listAttempts(db, id),
    findEvents(db.forAccount(send.accountId), send.mode, { ...nothing, sendId: id, limit: shownEvents }),
  ]);
  say([describeRecord(send), describeAttempts(send, attempts), describeEvents(events)].join("\n\n"));
}

function describeRecord(send: InspectedSend): string {
  const rows = [
    ["send", send.id],
    ["account", `${send.accountName ?? "(gone)"}  ${send.accountId}  ${send.mode}`],
    ["status", send.status],
    ["queue", queueText(send)],
    ["from", send.fromAddress],
    ["to", send.toAddresses.join(", ")],
    ["filtered", send.suppressedRecipients.join(", ")],
    ["subject", send.subject],
    ["accepted", timeText(send.queuedAt)],
    ["handed over", send.sentAt === null ? "" : timeText(send.sentAt)],
    ["SES id", send.providerMessageId ?? ""],
    ["error", send.errorCode === null ? "" : `${send.errorCode}: ${send.errorMessage ?? ""}`],
    ["content", send.hasContent ? "kept" : "dropped"],
  ];
  return aligned(rows.filter(([, value]) => value !== ""));
}

function queueText({ queueState, attempt, dueAt, fairAt }: InspectedSend): string {
  const due = dueAt === null ? "" : timeText(dueAt);
  switch (queueState) {
    case null:
      return "not in it";
    case "ready":
      return `ready after attempt ${attempt ?? 0}, its turn is ${fairAt === null ? "unknown" : timeText(fairAt)}`;
    case "waiting":
      return `waiting until ${due}, after attempt ${attempt ?? 0}`;
    case "leased":
      return `being handed over by attempt ${attempt ?? 0}, until ${due} at most`;
    case "in-doubt":
      return `in doubt: nobody knows what became of attempt ${attempt ?? 0} of ${due}`;
    case "parked":
      return `parked since ${due}: its account is held or suspended`;
    default:
      return queueState;
  }
}

function describeAttempts({ providerMessageId }: InspectedSend, attempts: InspectedAttempt[]): string {
  if (attempts.length === 0) return providerMessageId === null ? "No attempt yet." : "One attempt, accepted at once.";
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
      [event.bounceType, event.bounceSubtype, event.complaintType, event.suppressionReason]
        .filter((part) => part !== null)
        .join(" "),
    ]);
  return `Events\n${aligned(rows, { indent: "  " })}`;
}
