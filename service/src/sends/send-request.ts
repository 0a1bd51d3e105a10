import type { Attachment } from "../attachments/attachment.ts";
import type { Address, ParsedMailbox } from "../mail-address.ts";
import type { CustomHeader } from "../provider/email-provider.ts";

/** How far ahead a send may be scheduled. */
export const maxScheduleSeconds = 30 * 86_400;
/** The longest time that a send may wait before it expires, from when it is due. */
export const maxExpirySeconds = 30 * 86_400;

/** A validated request. */
export interface SendRequest {
  from: ParsedMailbox;
  /** Each address once: an address in several lists stays in the first one. */
  to: Address[];
  cc: Address[];
  bcc: Address[];
  replyTo: ParsedMailbox | undefined;
  subject: string;
  html: string | undefined;
  text: string | undefined;
  headers?: CustomHeader[];
  tags?: string[];
  /** Canonical JSON. */
  metadata?: string | undefined;
  attachments?: Attachment[];
  /** One of the two at most. */
  expiresAt?: Date | undefined;
  ttlSeconds?: number | undefined;
  scheduledAt?: Date | undefined;
  idempotencyKey: string | undefined;
  /** The payload as the caller wrote it, to distinguish a repeat from another payload. */
  given: GivenPayload;
}

/**
 * Every field that changes the mail. Append only: stored fingerprints depend on the position of each field, and a shorter one means that
 * the field was absent (accept/fingerprint.ts).
 */
const publishedFields = ["from", "to", "subject", "html", "text", "cc", "bcc", "reply_to"] as const;
const addedFields = [
  "headers",
  "tags",
  "metadata",
  "attachments",
  "expires_at",
  "ttl_seconds",
  "scheduled_at",
] as const;
export const payloadFields = [...publishedFields, ...addedFields] as const;
export type PayloadField = (typeof payloadFields)[number];
type GivenField = string | string[] | undefined;
export type GivenPayload = Record<(typeof publishedFields)[number], GivenField> &
  Partial<Record<(typeof addedFields)[number], GivenField>>;

export function recipientsOf({ to, cc, bcc }: Pick<SendRequest, "to" | "cc" | "bcc">): Address[] {
  return [...to, ...cc, ...bcc];
}
