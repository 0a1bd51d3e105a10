import PostalMime, { type Attachment, type Email } from "postal-mime";
import { isHeaderOfSes } from "../ses/custom-headers.ts";
import type { MailAttachment, MailParts } from "./mail-parts.ts";

const limits = { maxNestingDepth: 20, forceRfc822Attachments: true };

/** The parts of a raw mail. Of a mail that exceeds the limits of the parser, a person can still read the MIME. */
export async function parseRawMail(mail: Buffer): Promise<MailParts> {
  const parsed = await PostalMime.parse(mail, limits).catch(() => undefined);
  return parsed === undefined ? { customHeaders: [], attachments: [] } : toParts(parsed);
}

function toParts({ text, html, headers, attachments }: Email): MailParts {
  const custom = headers.filter(({ key }) => !isHeaderOfSes(key) && !key.startsWith("x-ses-"));
  return {
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    customHeaders: custom.map(({ originalKey, value }) => ({ name: originalKey, value })),
    attachments: attachments.map(toAttachment),
  };
}

function toAttachment({
  filename,
  mimeType,
  disposition,
  contentId,
  description,
  content,
}: Attachment): MailAttachment {
  return {
    name: filename ?? "unnamed",
    type: mimeType,
    isInline: disposition === "inline",
    ...(contentId !== undefined && { contentId: contentId.replace(/^<|>$/g, "") }),
    ...(description !== undefined && { description }),
    encoding: "BASE64",
    bytes: typeof content === "string" ? Buffer.from(content) : Buffer.from(new Uint8Array(content)),
  };
}
