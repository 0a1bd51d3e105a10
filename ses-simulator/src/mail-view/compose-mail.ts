import type { LedgerRecord } from "../ledger/ledger-record.ts";
import { decodeText, type SimpleContent, type StoredContent } from "./stored-content.ts";

/** The mail as SES would send it: a raw mail unchanged, a simple mail as MIME. */
export function composeMail(
  record: Pick<LedgerRecord, "headers" | "acceptedAt" | "contentHash">,
  content: string,
): Buffer {
  const stored: StoredContent = JSON.parse(content);
  if (stored.Raw !== undefined) return Buffer.from(stored.Raw.Data, "base64");
  const headers = record.headers.map(({ name, value }) => `${name}: ${value}\r\n`).join("");
  const date = `Date: ${new Date(record.acceptedAt).toUTCString().replace("GMT", "+0000")}\r\n`;
  return Buffer.from(headers + date + bodyOf(stored.Simple ?? {}, record.contentHash.slice(0, 24)));
}

function bodyOf({ Body = {}, Attachments = [] }: SimpleContent, seed: string): string {
  const texts = [
    Body.Text && textPart("plain", decodeText(Body.Text)),
    Body.Html && textPart("html", decodeText(Body.Html)),
  ];
  const alternatives = texts.filter((part) => part !== undefined);
  const [only] = alternatives;
  const body =
    alternatives.length === 1 && only !== undefined ? only : multipart("alternative", `alt-${seed}`, alternatives);
  if (Attachments.length === 0) return body;
  const files = Attachments.map(({ FileName, ContentType = "application/octet-stream", RawContent }) => {
    const disposition = `Content-Disposition: attachment; filename="${FileName.replaceAll('"', "")}"\r\n`;
    return `Content-Type: ${ContentType}\r\n${disposition}Content-Transfer-Encoding: base64\r\n\r\n${wrap(RawContent)}`;
  });
  return multipart("mixed", `mix-${seed}`, [body, ...files]);
}

function textPart(subtype: "plain" | "html", text: string): string {
  const headers = `Content-Type: text/${subtype}; charset=UTF-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;
  return headers + quotedPrintable(text);
}

function multipart(subtype: string, boundary: string, parts: string[]): string {
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("");
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n${body}--${boundary}--\r\n`;
}

/** Lines have at most 76 characters; ASCII text stays readable. */
function quotedPrintable(text: string): string {
  return text.split(/\r?\n/).map(encodeLine).join("\r\n");
}

function encodeLine(line: string): string {
  const rows = [""];
  for (const byte of Buffer.from(line)) {
    const encoded = encodeByte(byte);
    const row = rows.at(-1) ?? "";
    if (row.length + encoded.length > 75) rows.push(encoded);
    else rows[rows.length - 1] = row + encoded;
  }
  return rows.join("=\r\n").replace(/ $/, "=20");
}

function encodeByte(byte: number): string {
  const isLiteral = byte === 0x20 || (byte > 0x20 && byte < 0x7f && byte !== 0x3d);
  return isLiteral ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function wrap(base64: string): string {
  return base64.match(/.{1,76}/g)?.join("\r\n") ?? "";
}
