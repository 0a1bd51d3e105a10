import type { Header } from "../ledger/ledger-record.ts";
import { refuseRepeatedHeaders } from "./mime/single-headers.ts";
import { type Json, readObjects, requireString } from "./read-json.ts";
import { badRequest } from "./ses-error.ts";

const maxHeaders = 15;
const maxValueLength = 870;

/** SES writes these headers of a simple mail itself. AWS documents all but Content-Transfer-Encoding, which SES writes for a single body. */
const headersOfSes = new Set([
  "bcc",
  "cc",
  "content-disposition",
  "content-transfer-encoding",
  "content-type",
  "date",
  "from",
  "message-id",
  "mime-version",
  "reply-to",
  "return-path",
  "subject",
  "to",
]);

export function isHeaderOfSes(name: string): boolean {
  return headersOfSes.has(name.toLowerCase());
}

/** The `Headers` of a simple mail. */
export function readCustomHeaders(simple: Json): Header[] {
  const headers = readObjects(simple, "Headers").map(readHeader);
  if (headers.length > maxHeaders) throw badRequest(`Headers must have at most ${maxHeaders} members.`);
  refuseRepeatedHeaders(headers);
  return headers;
}

function readHeader(header: Json): Header {
  const name = requireString(header, "Name");
  const value = requireString(header, "Value");
  if (!/^[!-9;-~]{1,126}$/.test(name)) {
    throw badRequest(`Invalid header name <${name}>: 1 to 126 printable ASCII characters without space and colon.`);
  }
  if (!/^[ -~]*$/.test(value) || value.length > maxValueLength) {
    throw badRequest(`Invalid value of header <${name}>: at most ${maxValueLength} printable ASCII characters.`);
  }
  if (isHeaderOfSes(name)) throw badRequest(`SES sets the header <${name}> itself.`);
  return { name, value };
}
