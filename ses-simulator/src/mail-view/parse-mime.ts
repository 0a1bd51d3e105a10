import { headerValue, parseHeaders } from "../ses/mime/parse-headers.ts";

export interface ReadableMail {
  text?: string;
  html?: string;
  attachments: { name: string; type: string; sizeBytes: number }[];
}

const maxDepth = 10;

/** Finds the first text, the first HTML and the attachments of a raw mail. The text must be latin1: one character per byte. */
export function parseMime(mail: string, depth = 0): ReadableMail {
  const headers = parseHeaders(mail);
  const type = headerValue(headers, "content-type") ?? "text/plain";
  const body = mail.slice((/\r?\n\r?\n/.exec(mail)?.index ?? mail.length) + (mail.includes("\r\n\r\n") ? 4 : 2));
  const boundary = parameter(type, "boundary");
  if (boundary !== undefined && depth < maxDepth) {
    return splitParts(body, boundary)
      .map((part) => parseMime(part, depth + 1))
      .reduce(merge, { attachments: [] });
  }
  const bytes = decode(body, headerValue(headers, "content-transfer-encoding"));
  const name = parameter(headerValue(headers, "content-disposition") ?? "", "filename");
  if (name === undefined && /^text\/html/i.test(type)) return { html: toText(bytes, type), attachments: [] };
  if (name === undefined && /^text\//i.test(type)) return { text: toText(bytes, type), attachments: [] };
  const attachment = { name: name ?? "unnamed", type: type.split(";")[0] ?? type, sizeBytes: bytes.length };
  return { attachments: [attachment] };
}

function splitParts(body: string, boundary: string): string[] {
  return `\n${body}`
    .split(new RegExp(`\\r?\\n--${RegExp.escape(boundary)}(?:--)?[ \\t]*\\r?(?=\\n|$)`))
    .slice(1)
    .map((part) => part.replace(/^\r?\n/, ""))
    .filter((part) => part.trim() !== "");
}

function merge(one: ReadableMail, other: ReadableMail): ReadableMail {
  return { ...other, ...one, attachments: [...one.attachments, ...other.attachments] };
}

function decode(body: string, encoding = ""): Buffer {
  switch (encoding.toLowerCase()) {
    case "base64":
      return Buffer.from(body, "base64");
    case "quoted-printable": {
      const joined = body.replace(/=\r?\n/g, "");
      return Buffer.from(
        joined.replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      );
    }
    default:
      return Buffer.from(body, "latin1");
  }
}

function toText(bytes: Buffer, type: string): string {
  try {
    return new TextDecoder(parameter(type, "charset") ?? "utf-8").decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

function parameter(header: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, "i").exec(header);
  return found?.[1] ?? found?.[2];
}
