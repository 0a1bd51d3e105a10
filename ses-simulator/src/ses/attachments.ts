import { createHash } from "node:crypto";
import type { ReceivedAttachment } from "../ledger/ledger-record.ts";
import { hasBlockedExtension } from "./blocked-extensions.ts";
import { type Json, readObjects, readOneOf, readString, requireString } from "./read-json.ts";
import { badRequest } from "./ses-error.ts";

export interface Attachment {
  /** For the ledger, which keeps records in memory. The bytes stay on disk. */
  received: ReceivedAttachment;
  bytes: Buffer;
}

const maxLineLength = 998;

/** The `Attachments` of a simple mail. */
export function readAttachments(simple: Json): Attachment[] {
  return readObjects(simple, "Attachments").map(readAttachment);
}

function readAttachment(attachment: Json): Attachment {
  const fileName = readFileName(attachment);
  const contentType = readHeaderText(attachment, "ContentType");
  const contentId = readHeaderText(attachment, "ContentId");
  const contentDescription = readDescription(attachment);
  const contentDisposition = readOneOf(attachment, "ContentDisposition", ["ATTACHMENT", "INLINE"]) ?? "ATTACHMENT";
  const contentTransferEncoding =
    readOneOf(attachment, "ContentTransferEncoding", ["BASE64", "QUOTED_PRINTABLE", "SEVEN_BIT"]) ?? "SEVEN_BIT";
  const bytes = readBytes(attachment, fileName);
  if (contentTransferEncoding === "SEVEN_BIT") requireSevenBit(bytes, fileName);
  const received: ReceivedAttachment = {
    fileName,
    ...(contentType !== undefined && { contentType }),
    contentDisposition,
    ...(contentId !== undefined && { contentId }),
    ...(contentDescription !== undefined && { contentDescription }),
    contentTransferEncoding,
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
  return { received, bytes };
}

function readFileName(attachment: Json): string {
  const fileName = requireString(attachment, "FileName");
  requireNoControls(fileName, "FileName");
  if ([...fileName].length > 255) throw badRequest("FileName must have at most 255 characters.");
  if (hasBlockedExtension(fileName)) throw badRequest(`SES does not accept the file extension of <${fileName}>.`);
  return fileName;
}

function readHeaderText(attachment: Json, field: "ContentType" | "ContentId"): string | undefined {
  const text = readString(attachment, field);
  if (text === undefined || /^[ -~]{1,78}$/.test(text)) return text;
  throw badRequest(`${field} must have 1 to 78 printable ASCII characters.`);
}

function readDescription(attachment: Json): string | undefined {
  const text = readString(attachment, "ContentDescription");
  if (text === undefined) return undefined;
  requireNoControls(text, "ContentDescription");
  if ([...text].length > 1000) throw badRequest("ContentDescription must have at most 1000 characters.");
  return text;
}

function requireNoControls(text: string, field: string): void {
  if (/\p{Cc}/u.test(text)) throw badRequest(`${field} must not contain control characters.`);
}

/** Node skips characters that are not base64, so only the length of the result shows them. */
function readBytes(attachment: Json, fileName: string): Buffer {
  const encoded = readString(attachment, "RawContent");
  if (encoded === undefined) throw badRequest(`RawContent of <${fileName}> is required.`);
  const bytes = Buffer.from(encoded, "base64");
  const padding = encoded.endsWith("==") ? 2 : Number(encoded.endsWith("="));
  const isBase64 = encoded.length % 4 === 0 && bytes.length === (encoded.length / 4) * 3 - padding;
  if (!isBase64 || encoded.includes("-") || encoded.includes("_")) {
    throw badRequest(`RawContent of <${fileName}> is not base64.`);
  }
  return bytes;
}

/** The default encoding writes the bytes into the mail as they are, and a mail of 7-bit text cannot carry all bytes. */
function requireSevenBit(bytes: Buffer, fileName: string): void {
  if (isSevenBit(bytes)) return;
  throw badRequest(
    `<${fileName}> is not 7-bit text in lines of at most ${maxLineLength} characters. Set ContentTransferEncoding to BASE64.`,
  );
}

function isSevenBit(bytes: Buffer): boolean {
  let lineLength = 0;
  for (const byte of bytes) {
    if (byte === 0 || byte > 127) return false;
    if (byte === 0x0a) lineLength = 0;
    else if (byte !== 0x0d && ++lineLength > maxLineLength) return false;
  }
  return true;
}
