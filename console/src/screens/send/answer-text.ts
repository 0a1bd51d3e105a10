import type { SendRecord } from "../../api/api-types.ts";
import { formatUtc } from "../../parts/format-time.ts";
import type { RecipientOutcome } from "./outcome.ts";

/**
 * For the mail administrator of the recipient, who finds the mail in their logs by time, addresses and server. Times are in UTC, because
 * they read it in another zone. Subject and content stay out: the administrator is not the recipient.
 */
export function answerText(send: SendRecord, outcome: RecipientOutcome): string {
  const lines: [string, string | null | undefined][] = [
    ["From", addressOf(send.from_address)],
    ["To", outcome.address],
    ["Accepted", utc(send.queued_at)],
    ["Submitted to Amazon SES", utc(send.sent_at)],
    ["SES message id", send.provider_message_id],
    ["Sent by", outcome.sentBy],
    [reportName[outcome.state] ?? "Last report", utc(outcome.at)],
    ["Server", outcome.server],
    ["Status code", outcome.replyStatus],
    ["Retries end", utc(outcome.delay?.retriedUntil)],
  ];
  const facts = lines.flatMap(([name, value]) => (value === null || value === undefined ? [] : [`${name}: ${value}`]));
  const said = outcome.reply === undefined ? [] : ["", "Your server said:", outcome.reply];
  return [opening(outcome), "", ...facts, ...said, ""].join("\n");
}

const reportName: Partial<Record<RecipientOutcome["state"], string>> = {
  delivered: "Accepted by your server",
  bounced: "Returned by your server",
  delayed: "Delayed by your server",
  complained: "Reported as spam",
};

function opening({ state, address, bounce }: RecipientOutcome): string {
  switch (state) {
    case "delivered":
      return `Your server accepted this mail to ${address}, but the recipient cannot find it. Where did it go?`;
    case "bounced":
      return bounce?.isPermanent === true
        ? `Your server refused this mail to ${address} permanently. Can you say why, or permit it?`
        : `Your server did not accept this mail to ${address}. Can you say why, or permit it?`;
    case "delayed":
      return `Your server has not accepted this mail to ${address} yet. Can you say why, or permit it?`;
    case "complained":
      return `Your server reported this mail to ${address} as spam. Is that what the recipient wanted?`;
    default:
      return `This mail to ${address} has not reached your server, as far as is known.`;
  }
}

function utc(time: string | null | undefined): string | undefined {
  return time === null || time === undefined ? undefined : formatUtc(Date.parse(time));
}

/** "Name <a@b>" → "a@b" */
export function addressOf(mailbox: string): string {
  return /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox;
}
