import type { Header } from "../ledger/ledger-record.ts";
import { encodeWord } from "../ses/mime/simple-headers.ts";
import { base64Lines, quotedPrintable, quotedPrintableText } from "../ses/mime/transfer-encoding.ts";
import { contentDisposition } from "./content-disposition.ts";
import type { MailAttachment, MailParts } from "./mail-parts.ts";

interface SimpleMail extends MailParts {
  headers: Header[];
  acceptedAt: string;
  /** Makes the boundaries, so that the same mail always has the same MIME. */
  seed: string;
}

/**
 * A simple mail as SES would send it. Inline images are related to the body that shows them; other attachments are beside it:
 * mixed(related(alternative(text, HTML), images), files), without the levels that have one member.
 */
export function composeMail({ headers, acceptedAt, seed, text, html, attachments }: SimpleMail): Buffer {
  const date = { name: "Date", value: new Date(acceptedAt).toUTCString().replace("GMT", "+0000") };
  const head = [...headers, date].map(({ name, value }) => `${name}: ${value}\r\n`).join("");
  const isImage = (attachment: MailAttachment) =>
    html !== undefined && attachment.isInline && attachment.contentId !== undefined;
  const alternatives = [
    ...(text === undefined ? [] : [textPart("plain", text)]),
    ...(html === undefined ? [] : [textPart("html", html)]),
  ];
  const body = multipart("alternative", `alt-${seed}`, alternatives);
  const related = multipart("related", `rel-${seed}`, [body, ...attachments.filter(isImage).map(filePart)]);
  const files = attachments.filter((attachment) => !isImage(attachment)).map(filePart);
  return Buffer.from(head + multipart("mixed", `mix-${seed}`, [related, ...files]));
}

function multipart(subtype: string, boundary: string, parts: string[]): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("");
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n${body}--${boundary}--\r\n`;
}

function textPart(subtype: "plain" | "html", text: string): string {
  const headers = `Content-Type: text/${subtype}; charset=UTF-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;
  return headers + quotedPrintableText(text);
}

function filePart({ name, type, isInline, contentId, description, encoding, bytes }: MailAttachment): string {
  const { encodingName, encoded } = encode(encoding, bytes);
  return [
    `Content-Type: ${type}`,
    `Content-Disposition: ${contentDisposition(isInline ? "inline" : "attachment", name)}`,
    ...(contentId === undefined ? [] : [`Content-ID: ${contentId.startsWith("<") ? contentId : `<${contentId}>`}`]),
    ...(description === undefined ? [] : [`Content-Description: ${encodeWord(description)}`]),
    `Content-Transfer-Encoding: ${encodingName}`,
    "",
    encoded,
  ].join("\r\n");
}

function encode(encoding: MailAttachment["encoding"], bytes: Buffer): { encodingName: string; encoded: string } {
  switch (encoding) {
    case "BASE64":
      return { encodingName: "base64", encoded: base64Lines(bytes) };
    case "QUOTED_PRINTABLE":
      return { encodingName: "quoted-printable", encoded: quotedPrintable(bytes) };
    case "SEVEN_BIT":
      return { encodingName: "7bit", encoded: bytes.toString("latin1") };
  }
}
