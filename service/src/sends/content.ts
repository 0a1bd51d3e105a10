import { openBytes, sealBytes } from "../crypto/sealed-bytes.ts";
import type { Mailbox } from "../mail-address.ts";
import type { Secret, SecretPair } from "../secret.ts";

/** What is handed over, and dropped long before the record. Addresses are the ASCII ones. */
export interface SendContent {
  from: Mailbox;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: Mailbox | undefined;
  subject: string;
  html: string | undefined;
  text: string | undefined;
}

interface Owner {
  accountId: string;
  sendId: string;
}

export function sealContent(key: Secret, owner: Owner, content: SendContent): Buffer {
  return sealBytes(key, bindingOf(owner), Buffer.from(JSON.stringify(content)));
}

export function openContent(keys: SecretPair, owner: Owner, sealed: Buffer): SendContent {
  // Only this module writes it, and opening proves that nobody changed it.
  return JSON.parse(openBytes(keys, bindingOf(owner), sealed).toString("utf8")) as SendContent;
}

/**
 * With random ivs two contents under one key may meet the same one after some 2^32, which a busy cell reaches in a month.
 * So each 4.7 hours have a key of their own: that is what the first six digits of an id count.
 */
function bindingOf({ accountId, sendId }: Owner) {
  return { purpose: `content ${sendId.slice(0, 6)}`, place: `${accountId}/${sendId}` };
}
