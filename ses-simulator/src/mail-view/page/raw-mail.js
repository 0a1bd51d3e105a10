import { element } from "./element.js";

/** A mail with large attachments has millions of characters, and nobody reads them. */
const shownBytes = 200_000;

/** The MIME of a mail: its start, and a link to all of it. */
export async function rawMail(messageId) {
  const path = `/_simulator/mails/${encodeURIComponent(messageId)}/raw`;
  const { text, isComplete } = await readStart(await fetch(path));
  const link = element("a", { class: "whole-mail", href: path, download: "mail.eml" }, "Download the whole mail");
  const note = isComplete ? undefined : element("p", { class: "cut" }, "This is the start of the mail. ", link);
  return element("div", { class: "raw" }, note, element("pre", {}, text));
}

async function readStart(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  while (length < shownBytes) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isComplete: true };
    const taken = value.subarray(0, shownBytes - length);
    text += decoder.decode(taken, { stream: true });
    length += value.length;
  }
  await reader.cancel();
  return { text, isComplete: false };
}
