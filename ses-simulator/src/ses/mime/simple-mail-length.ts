import type { Header } from "../../ledger/ledger-record.ts";
import type { Attachment } from "../attachments.ts";
import { base64Length, quotedPrintableLength } from "./transfer-encoding.ts";

/** Boundary, Content-Type, Content-Disposition and Content-Transfer-Encoding of one part, without its names. */
const partOverhead = 250;

/** The size of the mail that SES composes, for the limit: an upper bound that is exact to about a percent. */
export function simpleMailLength({ subject, headers, bodies, attachments }: SimpleMail): number {
  const headerLengths = headers.map(({ name, value }) => name.length + value.length + 4);
  const bodyLengths = bodies.map((body) => partOverhead + quotedPrintableLength(Buffer.from(body)));
  const attachmentLengths = attachments.map((attachment) => partOverhead + attachmentLength(attachment));
  return base64Length(Buffer.byteLength(subject)) + sum([...headerLengths, ...bodyLengths, ...attachmentLengths]);
}

interface SimpleMail {
  subject: string;
  headers: Header[];
  bodies: string[];
  attachments: Attachment[];
}

function attachmentLength({ received, bytes }: Attachment): number {
  const { fileName, contentType = "", contentId = "", contentDescription = "" } = received;
  const names = base64Length(Buffer.byteLength(fileName + contentType + contentId + contentDescription));
  switch (received.contentTransferEncoding) {
    case "BASE64":
      return names + base64Length(bytes.length);
    case "QUOTED_PRINTABLE":
      return names + quotedPrintableLength(bytes);
    case "SEVEN_BIT":
      return names + bytes.length;
  }
}

function sum(lengths: number[]): number {
  return lengths.reduce((total, length) => total + length, 0);
}
