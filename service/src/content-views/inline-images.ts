import type { AttachmentFacts } from "../attachments/attachment.ts";
import { AttachmentGone, readAttachment } from "../attachments/read-chunks.ts";
import type { Queryable } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";

/** Images that cannot contain a script or load anything. */
const shownTypes = new Set(["image/gif", "image/jpeg", "image/png", "image/webp"]);
/** Of all places together: HTML can name one image thousands of times. */
const maxShownBytes = 2 * 1024 * 1024;

interface Mail {
  accountId: string;
  sendId: string;
  html: string;
  attachments: AttachmentFacts[];
}

/** The HTML with its inline images as `data:` addresses. Others, and those above the limit, stay as they are. */
export async function showInlineImages(db: Queryable, keys: SecretPair, { html, ...mail }: Mail): Promise<string> {
  const images = await readImages(db, keys, mail, imagesOf(html, mail.attachments));
  if (images.size === 0) return html;
  return html.replaceAll(reference, (original, before: string, id: string) => {
    const image = images.get(decodeId(id));
    return image === undefined ? original : before + image;
  });
}

/** `cid:` in an attribute or in `url()`. What replaces it has no quotes, brackets or spaces, so it cannot leave its place. */
const reference = /(["'(=]\s*)cid:([^"'\s()<>]+)/gi;

function imagesOf(html: string, attachments: AttachmentFacts[]): number[] {
  const uses = new Map<string, number>();
  for (const [, , id = ""] of html.matchAll(reference)) uses.set(decodeId(id), (uses.get(decodeId(id)) ?? 0) + 1);
  let bytes = 0;
  return [...attachments.keys()].filter((part) => {
    const { contentId, contentType = "", size = 0 } = attachments[part] ?? {};
    const count = uses.get(contentId ?? "") ?? 0;
    if (count === 0 || !shownTypes.has(plainType(contentType)) || bytes + count * size > maxShownBytes) return false;
    bytes += count * size;
    return true;
  });
}

async function readImages(db: Queryable, keys: SecretPair, mail: Omit<Mail, "html">, parts: number[]) {
  const images = new Map<string, string>();
  for (const part of parts) {
    const facts = mail.attachments[part];
    if (facts?.contentId === undefined) continue;
    try {
      const { bytes } = await readAttachment(db, keys, mail, part, facts);
      images.set(facts.contentId, `data:${plainType(facts.contentType)};base64,${bytes.toString("base64")}`);
    } catch (error) {
      // Retention deletes the content and its attachments, possibly in this moment.
      if (!(error instanceof AttachmentGone)) throw error;
    }
  }
  return images;
}

function plainType(contentType: string): string {
  return contentType.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** A `cid:` address is percent-encoded, and inside of HTML. */
function decodeId(id: string): string {
  const text = id.replaceAll("&amp;", "&");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
