import type { Destination, Header, ReceivedAttachment } from "../ledger/ledger-record.ts";
import { readAttachments } from "./attachments.ts";
import { readCustomHeaders } from "./custom-headers.ts";
import { checkRawMail } from "./mime/check-raw-mail.ts";
import { addressesIn, headerValue, parseHeaders } from "./mime/parse-headers.ts";
import { simpleMailLength } from "./mime/simple-mail-length.ts";
import { type Json, readObject, readString, requireString } from "./read-json.ts";
import { badRequest, notFound } from "./ses-error.ts";

/** The content of a mail, simple or raw. The `header…` members come from the headers of a raw mail. */
export interface Content {
  isRaw: boolean;
  subject: string;
  /** Of a simple mail the custom headers, of a raw mail those that recipients get. */
  headers: Header[];
  /** Of a simple mail only. */
  attachments: ReceivedAttachment[];
  /** The size of the encoded mail. */
  sizeBytes: number;
  /** SES accepts a mail with a virus and then emits Reject. */
  hasVirus: boolean;
  headerFrom: string | undefined;
  headerDestination: Destination;
  headerTags: string[][];
  headerConfigurationSet: string | undefined;
}

/** AWS documents 40 MB and not which unit it means; the smaller one is on the safe side. */
const maxBytes = 40_000_000;
const eicar = "EICAR-STANDARD-ANTIVIRUS-TEST-FILE";

export function readContent(content: Json | undefined): Content {
  if (content === undefined) throw badRequest("Content is required.");
  const simple = readObject(content, "Simple");
  const raw = readObject(content, "Raw");
  const template = readObject(content, "Template");
  if ([simple, raw, template].filter((part) => part !== undefined).length !== 1) {
    throw badRequest("Content must have exactly one of Simple, Raw and Template.");
  }
  if (template !== undefined) throw notFound(`Template ${readString(template, "TemplateName") ?? ""} does not exist.`);
  const read = simple === undefined ? readRaw(raw ?? {}) : readSimple(simple);
  if (read.sizeBytes > maxBytes) {
    throw badRequest(`Message length is more than ${maxBytes} bytes long: '${read.sizeBytes}'.`);
  }
  return read;
}

function readSimple(simple: Json): Content {
  const subject = requireText(simple, "Subject");
  const body = readObject(simple, "Body");
  if (body === undefined) throw badRequest("Body is required.");
  const text = readObject(body, "Text") && requireText(body, "Text");
  const html = readObject(body, "Html") && requireText(body, "Html");
  if (text === undefined && html === undefined) throw badRequest("Body must have Text or Html.");
  const headers = readCustomHeaders(simple);
  const attachments = readAttachments(simple);
  return {
    isRaw: false,
    subject,
    headers,
    attachments: attachments.map(({ received }) => received),
    sizeBytes: simpleMailLength({ subject, headers, bodies: [text ?? "", html ?? ""], attachments }),
    hasVirus: attachments.some(({ bytes }) => bytes.includes(eicar)),
    headerFrom: undefined,
    headerDestination: { to: [], cc: [], bcc: [] },
    headerTags: [],
    headerConfigurationSet: undefined,
  };
}

function readRaw(raw: Json): Content {
  const data = requireString(raw, "Data");
  const mail = Buffer.from(data, "base64").toString("latin1");
  const headers = parseHeaders(mail);
  checkRawMail(mail, headers);
  return {
    isRaw: true,
    subject: headerValue(headers, "subject") ?? "",
    headers: headers.filter(({ name }) => !isRemoved(name.toLowerCase())),
    attachments: [],
    sizeBytes: data.length,
    hasVirus: mail.includes(eicar) || mail.includes(Buffer.from(eicar).toString("base64").slice(0, 40)),
    headerFrom: headerValue(headers, "from"),
    headerDestination: {
      to: addressesIn(headerValue(headers, "to")),
      cc: addressesIn(headerValue(headers, "cc")),
      bcc: addressesIn(headerValue(headers, "bcc")),
    },
    headerTags: (headerValue(headers, "x-ses-message-tags") ?? "")
      .split(",")
      .filter((tag) => tag.trim() !== "")
      .map((tag) => tag.trim().split("=")),
    headerConfigurationSet: headerValue(headers, "x-ses-configuration-set"),
  };
}

function requireText(from: Json, field: string): string {
  const part = readObject(from, field);
  const data = part && readString(part, "Data");
  if (part === undefined || data === undefined) throw badRequest(`${field} is required.`);
  readString(part, "Charset");
  return data;
}

/** SES removes its own headers, Bcc and Return-Path, and writes Date and Message-ID itself. */
function isRemoved(lowerName: string): boolean {
  return lowerName.startsWith("x-ses-") || ["bcc", "return-path", "date", "message-id"].includes(lowerName);
}
