import type { ReceivedAttachment } from "../ledger/ledger-record.ts";
import type { MailAttachment, MailParts } from "./mail-parts.ts";

/** The stored `Content` of a SendEmail request. The simulator has validated it. */
export interface StoredContent {
  Simple?: SimpleContent;
  Raw?: { Data: string };
}

interface SimpleContent {
  Body?: { Text?: TextContent | null; Html?: TextContent | null };
  Headers?: { Name: string; Value: string }[] | null;
  Attachments?: StoredAttachment[] | null;
}

interface TextContent {
  Data: string;
  Charset?: string | null;
}

interface StoredAttachment {
  FileName: string;
  RawContent: string;
  ContentType?: string | null;
  ContentDisposition?: ReceivedAttachment["contentDisposition"] | null;
  ContentId?: string | null;
  ContentDescription?: string | null;
  ContentTransferEncoding?: ReceivedAttachment["contentTransferEncoding"] | null;
}

export function readSimpleContent({ Body, Headers, Attachments }: SimpleContent): MailParts {
  const { Text, Html } = Body ?? {};
  return {
    ...(Text && { text: decodeText(Text) }),
    ...(Html && { html: decodeText(Html) }),
    customHeaders: (Headers ?? []).map(({ Name, Value }) => ({ name: Name, value: Value })),
    attachments: (Attachments ?? []).map(toAttachment),
  };
}

function toAttachment(stored: StoredAttachment): MailAttachment {
  return {
    name: stored.FileName,
    type: stored.ContentType ?? "application/octet-stream",
    isInline: stored.ContentDisposition === "INLINE",
    ...(stored.ContentId && { contentId: stored.ContentId }),
    ...(stored.ContentDescription && { description: stored.ContentDescription }),
    encoding: stored.ContentTransferEncoding ?? "SEVEN_BIT",
    bytes: Buffer.from(stored.RawContent, "base64"),
  };
}

/** The text that the recipient sees. Without a charset, SES reads it as 7-bit ASCII and loses other characters. */
function decodeText({ Data, Charset }: TextContent): string {
  return Charset === undefined || Charset === null ? Data.replace(/[^\0-\x7f]/gu, "?") : Data;
}
