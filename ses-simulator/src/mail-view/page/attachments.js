import { element } from "./element.js";

/** The files of a mail, each as a link that downloads it. Undefined when there are none. */
export function attachmentList({ messageId, attachments }) {
  if (attachments.length === 0) return undefined;
  const items = attachments.map((attachment, number) => element("li", {}, fileLink(messageId, attachment, number)));
  return element("ul", { class: "files" }, ...items);
}

export function attachmentPath(messageId, number) {
  return `/_simulator/mails/${encodeURIComponent(messageId)}/attachments/${number}`;
}

/** `bdi` keeps characters that change the direction of text inside the name. */
function fileLink(messageId, { name, type, sizeBytes, isInline, contentId }, number) {
  const place = isInline ? `, inline${contentId === undefined ? "" : ` as ${contentId}`}` : "";
  return element(
    "a",
    { class: "file", href: attachmentPath(messageId, number), download: true },
    element("span", { class: "visually-hidden" }, "Download "),
    element("bdi", {}, name),
    element("span", { class: "file-facts" }, `${type}, ${fileSize(sizeBytes)}${place}`),
  );
}

function fileSize(bytes) {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const [amount, unit] = bytes < 999_500 ? [bytes / 1000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${amount.toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit}`;
}
