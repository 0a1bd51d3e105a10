import type { Event, SendRecord } from "../../api/api-types.ts";

/** The known events of one recipient, newest first. */
export interface RecipientEvents {
  events: Event[];
  /** Whether older events exist that are not in the list. */
  isComplete: boolean;
}

export interface ShownStatus {
  status: string;
  /** The status is that of the whole send; the one of the searched recipient may differ. */
  isOfSend: boolean;
}

const ranks = { Suppression: 0, Bounce: 1, Delivery: 2, Complaint: 4 } as const;

/**
 * The API lists the status of a send, which is that of its worst recipient. For a list of the mail to one address, the events of the
 * address say what happened to it; where they do not, the row says that its status is the one of the send.
 */
export function statusFor(
  send: SendRecord,
  recipient: string | undefined,
  known: RecipientEvents | undefined,
): ShownStatus {
  const { status, to_addresses } = send;
  if (recipient === undefined || to_addresses.length === 1) return { status, isOfSend: false };
  const found = (known?.events ?? []).filter(({ email_id }) => email_id === send.id);
  const worst = found.toSorted((one, other) => rankOf(other) - rankOf(one))[0];
  if (worst !== undefined) return { status: words[worst.event_type], isOfSend: false };
  const isOpen = status === "queued" || status === "processing" || status === "sent" || status === "suppressed";
  if (isOpen) return { status, isOfSend: false };
  if (known !== undefined && status !== "failed" && coversSend(known, send)) return { status: "sent", isOfSend: false };
  return { status, isOfSend: true };
}

const words = { Delivery: "delivered", Bounce: "bounced", Complaint: "complained", Suppression: "suppressed" } as const;

function rankOf({ event_type, bounce_type }: Event): number {
  return event_type === "Bounce" && bounce_type === "Permanent" ? 3 : ranks[event_type];
}

/** Events follow the acceptance, so a list that reaches back to it has all of the send. */
function coversSend({ events, isComplete }: RecipientEvents, send: SendRecord): boolean {
  const oldest = events.at(-1)?.event_timestamp;
  return isComplete || (oldest !== undefined && Date.parse(oldest) < Date.parse(send.queued_at));
}

/** The searched address first, as the send spells it. */
export function shownRecipient(addresses: readonly string[], recipient: string | undefined): string {
  const key = recipient?.toLowerCase();
  return addresses.find((address) => address.toLowerCase() === key) ?? addresses[0] ?? "";
}
