import type { Timeline } from "../../api/api-types.ts";
import { formatDateTime } from "../../parts/format-time.ts";

type Entry = Timeline["entries"][number];

export interface TimelineRow {
  key: string;
  at: string;
  /** Since the row before; undefined for the first one. */
  sinceLastMs: number | undefined;
  /** For the icon and its colour. */
  status: string;
  word: string;
  /** The main text, and a quieter one behind it. */
  text: string;
  note: string;
  /** In the future: what happens next. */
  isAhead: boolean;
}

/** Oldest first, with the time between two rows. The last rows say until when SES retries. */
export function timelineRows({ entries, status }: Timeline, now = Date.now()): TimelineRow[] {
  const past = entries.flatMap((entry, index) => rowsOf(entry, index));
  const ahead = status === "sent" || status === "bounced" || status === "delivered" ? retriesAhead(entries, now) : [];
  return [...past, ...ahead].map((row, index, rows) => {
    const before = rows[index - 1];
    const sinceLastMs = before === undefined ? undefined : Math.max(0, Date.parse(row.at) - Date.parse(before.at));
    return { ...row, sinceLastMs };
  });
}

type Row = Omit<TimelineRow, "sinceLastMs">;

function rowsOf(entry: Entry, index: number): Row[] {
  const key = String(index);
  const { at } = entry;
  const row = (status: string, word: string, text: string, note = ""): Row[] => [
    { key, at, status, word, text, note, isAhead: false },
  ];
  switch (entry.type) {
    case "accepted": {
      const suppressed = entry.suppressed_recipients.length;
      const note = suppressed === 0 ? "" : `${suppressed} suppressed`;
      return row(
        "queued",
        "Accepted",
        `${entry.recipients} ${entry.recipients === 1 ? "recipient" : "recipients"}`,
        note,
      );
    }
    case "attempt":
      return row(...attemptWords(entry));
    case "submitted":
      return row("sent", "Sent", "SES accepted it", entry.provider_message_id);
    case "delayed":
      return row("delayed", "Delayed", entry.recipient, entry.diagnostic ?? entry.delay_type);
    case "event":
      return row(...eventWords(entry.event));
  }
}

type RowWords = [status: string, word: string, text: string, note: string];

function attemptWords({ attempt, outcome, detail, request_id }: Extract<Entry, { type: "attempt" }>): RowWords {
  const text = `Attempt ${attempt}`;
  const note = detail ?? (request_id === null ? "" : `SES request ${request_id}`);
  switch (outcome) {
    case null:
      return ["processing", "Processing", text, "in progress"];
    case "accepted":
      return ["processing", "Processing", text, note === "" ? "SES accepted it" : note];
    case "refused":
      return ["failed", "Refused", `${text}: SES refused it`, note];
    case "try-later":
      return ["delayed", "Retried", `${text}: SES could not take it`, note];
    case "unknown":
      return ["in-doubt", "In doubt", `${text}: the answer of SES was lost`, note];
    case "returned":
      return ["queued", "Returned", `${text}: not submitted`, note];
  }
}

type Event = Extract<Entry, { type: "event" }>["event"];

function eventWords(event: Event): RowWords {
  const { recipient, event_type } = event;
  switch (event_type) {
    case "Delivery":
      return ["delivered", "Delivered", recipient, event.smtp_response ?? ""];
    case "Bounce": {
      const kind = event.bounce_type === "Permanent" ? "hard, suppressed at once" : "soft";
      return ["bounced", "Bounced", recipient, kind];
    }
    case "Complaint":
      return ["complained", "Complained", recipient, event.complaint_type ?? ""];
    case "Suppression": {
      const since = event.suppressed_at === undefined ? "" : `since ${formatDateTime(Date.parse(event.suppressed_at))}`;
      return ["suppressed", "Suppressed", recipient, since];
    }
  }
}

/** The end of the retries for each recipient that is still delayed. */
function retriesAhead(entries: readonly Entry[], now: number): Row[] {
  const until = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type === "delayed" && entry.retried_until !== null) until.set(entry.recipient, entry.retried_until);
    if (entry.type === "event") until.delete(entry.event.recipient);
  }
  return [...until]
    .filter(([, at]) => Date.parse(at) > now)
    .toSorted(([, one], [, other]) => Date.parse(one) - Date.parse(other))
    .map(([recipient, at]) => ({
      key: `ahead-${recipient}`,
      at,
      status: "queued",
      word: "Gives up",
      text: `SES stops retrying ${recipient}`,
      note: "",
      isAhead: true,
    }));
}
