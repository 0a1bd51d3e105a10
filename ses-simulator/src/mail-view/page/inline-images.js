import { attachmentPath } from "./attachments.js";

const reference = /(["'(=]\s*)cid:([^"'\s()<>]+)/gi;

/**
 * The HTML of a mail with its inline images as `data:` addresses. The frame may load nothing else, so only images that are part of
 * the mail appear.
 */
export async function withInlineImages({ messageId, html, attachments }) {
  const wanted = new Set([...html.matchAll(reference)].map(([, , id]) => decodeId(id)));
  const images = new Map();
  for (const [number, { contentId = "", type }] of attachments.entries()) {
    const imageType = /^image\/[a-z0-9.+-]+/i.exec(type)?.[0];
    if (imageType === undefined || !wanted.has(bareId(contentId))) continue;
    images.set(bareId(contentId), await dataAddress(attachmentPath(messageId, number), imageType));
  }
  return html.replace(reference, (original, before, id) => {
    const image = images.get(decodeId(id));
    return image === undefined ? original : before + image;
  });
}

/** A `cid:` address is percent-encoded, inside HTML. */
function decodeId(id) {
  const text = id.replaceAll("&amp;", "&");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bareId(contentId) {
  return contentId.replace(/^<|>$/g, "");
}

async function dataAddress(path, type) {
  const image = new Blob([await (await fetch(path)).arrayBuffer()], { type });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(image);
  });
}
