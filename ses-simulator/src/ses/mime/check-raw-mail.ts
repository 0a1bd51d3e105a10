import type { Header } from "../../ledger/ledger-record.ts";
import { badRequest, SesError } from "../ses-error.ts";
import { headerValue } from "./parse-headers.ts";

const maxLineLength = 1000;

/** Headers that SES refuses to see twice; the ones a mail composer can plausibly repeat. */
const once = new Set([
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

/** Raw mail is sent as it is, so SES insists that it is a mail. */
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
    if (once.has(lower) && seen.has(lower)) throw new SesError("MessageRejected", `Duplicate header '${name}'.`);
    seen.add(lower);
  }
}
