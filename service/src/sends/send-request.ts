import type { Address, ParsedMailbox } from "../mail-address.ts";
import type { CustomHeader } from "../provider/email-provider.ts";

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
  idempotencyKey: string | undefined;
  /** The payload as the caller wrote it, to distinguish a repeat from another payload. */
  given: GivenPayload;
}

/**
 * Every field that changes the mail. Append only: stored fingerprints depend on the position of each field, and a shorter one means that
 * the field was absent (accept/fingerprint.ts).
 */
const publishedFields = ["from", "to", "subject", "html", "text", "cc", "bcc", "reply_to"] as const;
const addedFields = ["headers", "tags", "metadata"] as const;
export const payloadFields = [...publishedFields, ...addedFields] as const;
export type PayloadField = (typeof payloadFields)[number];
type GivenField = string | string[] | undefined;
export type GivenPayload = Record<(typeof publishedFields)[number], GivenField> &
  Partial<Record<(typeof addedFields)[number], GivenField>>;

export function recipientsOf({ to, cc, bcc }: Pick<SendRequest, "to" | "cc" | "bcc">): Address[] {
  return [...to, ...cc, ...bcc];
}
