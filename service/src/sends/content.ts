import type { AttachmentFacts } from "../attachments/attachment.ts";
import { openBytes, sealBytes } from "../crypto/sealed-bytes.ts";
import type { Mailbox } from "../mail-address.ts";
import type { CustomHeader } from "../provider/email-provider.ts";
import type { Secret, SecretPair } from "../secret.ts";

/** The mail as accepted, for the provider. It is deleted long before the record. Addresses are ASCII. */
export interface SendContent {
  from: Mailbox;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: Mailbox | undefined;
  subject: string;
  html: string | undefined;
  text: string | undefined;
  /** Absent without headers, and in contents of earlier releases. */
  headers?: CustomHeader[] | undefined;
  /** Absent without attachments. Their bytes are in chunks of their own (attachments/). */
  attachments?: AttachmentFacts[] | undefined;
}

interface Owner {
  accountId: string;
  sendId: string;
}

/** An earlier release would send the mail without its headers or attachments, or after its expiry. It refuses the second format. */
export function sealContent(key: Secret, owner: Owner, content: SendContent, { expires = false } = {}): Buffer {
  const isPlain = content.headers === undefined && content.attachments === undefined && !expires;
  const format = isPlain ? 1 : 2;
  return sealBytes(key, contentBinding(owner), Buffer.from(JSON.stringify(content)), format);
}

export function openContent(keys: SecretPair, owner: Owner, sealed: Buffer): SendContent {
  // Only this module writes it, possibly in an older release (so a later field may be absent), and authenticated encryption proves that nobody changed it.
  return JSON.parse(openBytes(keys, contentBinding(owner), sealed).toString("utf8")) as SendContent;
}

/**
 * The key changes every 4.7 hours: the first six hex digits of a send id number these periods. With one key for all contents, two of
 * them could get the same random iv after about 2^32, which a busy cell reaches in a month.
 */
export function contentBinding({ accountId, sendId }: Owner) {
  return { purpose: `content ${sendId.slice(0, 6)}`, owner: `${accountId}/${sendId}` };
}
