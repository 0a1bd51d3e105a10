import type { Destination, Header } from "../ledger/ledger-record.ts";
import { checkRawMail } from "./mime/check-raw-mail.ts";
import { addressesIn, headerValue, parseHeaders } from "./mime/parse-headers.ts";
import { type Json, readObject, readObjects, readOneOf, readString, requireString } from "./read-json.ts";
import { badRequest, notFound } from "./ses-error.ts";

/** The content of a mail, simple or raw. The `header…` members come from the headers of a raw mail. */
export interface Content {
  isRaw: boolean;
  subject: string;
  headers: Header[];
  sizeBytes: number;
  /** SES accepts a mail with a virus and then emits Reject. */
  hasVirus: boolean;
  headerFrom: string | undefined;
  headerDestination: Destination;
  headerTags: string[][];
  headerConfigurationSet: string | undefined;
}

const maxBytes = 40 * 1024 * 1024;
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
  const attachments = readObjects(simple, "Attachments").map(readAttachment);
  const headers = readObjects(simple, "Headers").map(readHeader);
  const attachmentBytes = attachments.reduce((sum, data) => sum + data.length, 0);
  return {
    isRaw: false,
    subject,
    headers,
    sizeBytes: Buffer.byteLength(subject + (text ?? "") + (html ?? "")) + attachmentBytes,
    hasVirus: attachments.some((data) => Buffer.from(data, "base64").includes(eicar)),
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

function readAttachment(attachment: Json): string {
  requireString(attachment, "FileName");
  readOneOf(attachment, "ContentDisposition", ["ATTACHMENT", "INLINE"]);
  readOneOf(attachment, "ContentTransferEncoding", ["BASE64", "QUOTED_PRINTABLE", "SEVEN_BIT"]);
  return requireString(attachment, "RawContent");
}

function readHeader(header: Json): Header {
  const name = requireString(header, "Name");
  const value = readString(header, "Value") ?? "";
  if (!/^[!-9;-~]{1,126}$/.test(name)) throw badRequest(`Invalid header name <${name}>.`);
  if (!/^[ -~]{0,995}$/.test(value) || name.length + value.length > 996) {
    throw badRequest(`Invalid value of header <${name}>: at most 995 printable ASCII characters.`);
  }
  return { name, value };
}

/** SES removes its own headers, Bcc and Return-Path, and writes Date and Message-ID itself. */
function isRemoved(lowerName: string): boolean {
  return lowerName.startsWith("x-ses-") || ["bcc", "return-path", "date", "message-id"].includes(lowerName);
}
