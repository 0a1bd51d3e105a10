import type { Event, Suppression } from "../../api/api-types.ts";
import { formatDateTime, formatUtc } from "../../parts/format-time.ts";
import { withoutType } from "../send/outcome.ts";

export interface AddressFacts {
  address: string;
  suppression: Suppression | null;
  /** Mails that were not sent since the suppression; `more` when there are more than were counted. */
  filtered: { count: number; more: boolean };
  lastDelivery: Event | undefined;
  lastBounce: Event | undefined;
  lastComplaint: Event | undefined;
  /** The last lifting of a suppression in this mode. */
  removal: { removedAt: string; by: string | null; provider: string } | undefined;
}

export interface AddressAnswer {
  /** The coloured words: "Suppressed since 12 Nov, 16:40." */
  state: string;
  /** Why, and what it caused. */
  text: string;
}

/** The answer to "why did this address get nothing?". */
export function describeAddress(facts: AddressFacts): AddressAnswer {
  const { suppression } = facts;
  if (suppression === null)
    return { state: "Not suppressed.", text: [lastOutcome(facts), lifted(facts)].filter(Boolean).join(" ") };
  const state = `Suppressed since ${formatDateTime(Date.parse(suppression.suppressed_at))}.`;
  return { state, text: [causeOf(facts, suppression), filteredText(facts)].filter(Boolean).join(" ") };
}

function causeOf({ lastBounce }: AddressFacts, { reason, email_id, note }: Suppression): string {
  if (reason === "complaint") return "The recipient reported a mail as spam.";
  if (reason === "manual") return note === null ? "Somebody added or imported it." : `Somebody added it: ${note}`;
  const isCause = lastBounce !== undefined && (email_id === null || lastBounce.email_id === email_id);
  return isCause ? (lastBounce.explanation?.meaning ?? "A mail bounced permanently.") : "A mail bounced permanently.";
}

function filteredText({ filtered: { count, more } }: AddressFacts): string {
  if (count === 0) return "No later mail was sent to it by your systems.";
  const number = more ? `${count} or more` : String(count);
  return `Postern did not send ${number} later ${count === 1 && !more ? "mail" : "mails"}.`;
}

function lastOutcome({ lastDelivery, lastBounce, lastComplaint }: AddressFacts): string {
  const newest = [lastDelivery, lastBounce, lastComplaint]
    .filter((event) => event !== undefined)
    .toSorted((one, other) => Date.parse(other.event_timestamp) - Date.parse(one.event_timestamp))[0];
  switch (newest?.event_type) {
    case "Delivery":
      return "The receiving server accepted the last mail. Whether it is in the inbox is not known.";
    case "Bounce":
      return newest.explanation?.meaning ?? "The last mail bounced.";
    case "Complaint":
      return "The recipient reported a mail as spam.";
    default:
      return "No receiving server has answered about mail to this address.";
  }
}

const atSes: Record<string, string> = {
  pending: "SES has not confirmed the removal from its own list yet.",
  removed: "SES removed it from its own list too.",
  kept: "SES keeps it on its own list, because the recipient complained again.",
  refused: "SES does not accept the address for its own list.",
};

function lifted({ removal }: AddressFacts): string {
  if (removal === undefined) return "";
  const by = removal.by === null ? "" : ` by ${removal.by}`;
  const ses = atSes[removal.provider];
  return `Its suppression was lifted on ${formatDateTime(Date.parse(removal.removedAt))}${by}.${ses === undefined ? "" : ` ${ses}`}`;
}

/** For the person who asked. Times are in UTC, because they may read it in another zone. */
export function answerAbout(facts: AddressFacts): string {
  const { address, suppression, lastDelivery, lastBounce } = facts;
  const { text } = describeAddress(facts);
  const utc = (time: string) => formatUtc(Date.parse(time));
  const state = suppression === null ? "not suppressed" : `suppressed since ${utc(suppression.suppressed_at)}`;
  const lines = [
    `${address} is ${state}. ${text}`,
    "",
    `Last delivered: ${lastDelivery === undefined ? "never, as far as is known" : utc(lastDelivery.event_timestamp)}`,
    `Last bounce: ${lastBounce === undefined ? "none" : utc(lastBounce.event_timestamp)}`,
  ];
  const said = lastBounce?.diagnostic === undefined ? [] : [`The server said: ${withoutType(lastBounce.diagnostic)}`];
  return [...lines, ...said, ""].join("\n");
}
