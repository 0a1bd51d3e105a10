import type { Address, ParsedMailbox } from "../mail-address.ts";

export type { Mode } from "../mode.ts";

/** What a caller asked for, checked. */
export interface SendRequest {
  from: ParsedMailbox;
  /** Each address once: one that stands in several lists stays in the first of them. */
  to: Address[];
  cc: Address[];
  bcc: Address[];
  replyTo: ParsedMailbox | undefined;
  subject: string;
  html: string | undefined;
  text: string | undefined;
  idempotencyKey: string | undefined;
  /** The payload as it was given, for telling a repeat from another one. */
  given: GivenPayload;
}

export const payloadFields = ["from", "to", "subject", "html", "text", "cc", "bcc", "reply_to"] as const;
export type PayloadField = (typeof payloadFields)[number];
export type GivenPayload = Record<PayloadField, string | string[] | undefined>;

export function recipientsOf({ to, cc, bcc }: Pick<SendRequest, "to" | "cc" | "bcc">): Address[] {
  return [...to, ...cc, ...bcc];
}
