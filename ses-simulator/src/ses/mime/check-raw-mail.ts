import type { Header } from "../../ledger/ledger-record.ts";
import { badRequest, SesError } from "../ses-error.ts";
import { headerValue } from "./parse-headers.ts";

const maxLineLength = 1000;

/** Headers that SES allows only once. The list holds those that a mail composer may plausibly repeat. */
const singleHeaders = new Set([
  "bcc",
  "cc",
  "content-description",
  "content-disposition",
  "content-id",
  "content-transfer-encoding",
  "content-type",
  "date",
  "from",
  "in-reply-to",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "message-id",
  "mime-version",
  "references",
  "reply-to",
  "return-path",
  "sender",
  "subject",
  "to",
  "x-mailer",
  "x-priority",
]);

/** SES sends a raw mail unchanged, so it refuses one that is not a valid mail. */
export function checkRawMail(mail: string, headers: Header[]): void {
  if (headers.length === 0 || !/\r?\n\r?\n/.test(mail)) {
    throw badRequest("Raw message must have headers, an empty line and a body.");
  }
  if (headerValue(headers, "from") === undefined) throw badRequest("Missing required header 'From'.");
  if (mail.split("\n").some((line) => line.length > maxLineLength)) {
    throw badRequest(`A line of the raw message is longer than ${maxLineLength} characters.`);
  }
  const seen = new Set<string>();
  for (const { name } of headers) {
    const lower = name.toLowerCase();
    if (singleHeaders.has(lower) && seen.has(lower))
      throw new SesError("MessageRejected", `Duplicate header '${name}'.`);
    seen.add(lower);
  }
}
