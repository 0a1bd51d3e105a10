import type { Header } from "../../ledger/ledger-record.ts";
import { badRequest } from "../ses-error.ts";
import { headerValue } from "./parse-headers.ts";
import { refuseRepeatedHeaders } from "./single-headers.ts";

const maxLineLength = 1000;

/** SES sends a raw mail unchanged, so it refuses one that is not a valid mail. */
export function checkRawMail(mail: string, headers: Header[]): void {
  if (headers.length === 0 || !/\r?\n\r?\n/.test(mail)) {
    throw badRequest("Raw message must have headers, an empty line and a body.");
  }
  if (headerValue(headers, "from") === undefined) throw badRequest("Missing required header 'From'.");
  if (mail.split("\n").some((line) => line.length > maxLineLength)) {
    throw badRequest(`A line of the raw message is longer than ${maxLineLength} characters.`);
  }
  refuseRepeatedHeaders(headers);
}
