import type { Address, ParsedMailbox } from "../mail-address.ts";

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
  idempotencyKey: string | undefined;
  /** The payload as the caller wrote it, to distinguish a repeat from another payload. */
  given: GivenPayload;
}

/**
 * Every field that changes the mail. Append only: stored fingerprints depend on the position of each field, and a shorter one means that
 * the field was absent (accept/fingerprint.ts).
 */
export const payloadFields = ["from", "to", "subject", "html", "text", "cc", "bcc", "reply_to"] as const;
export type PayloadField = (typeof payloadFields)[number];
export type GivenPayload = Record<PayloadField, string | string[] | undefined>;

export function recipientsOf({ to, cc, bcc }: Pick<SendRequest, "to" | "cc" | "bcc">): Address[] {
  return [...to, ...cc, ...bcc];
}
