import type { Mailbox } from "../../../mail-address.ts";

/** What fits between the 12 characters around it when an encoded word may have 75 and base64 makes 4 of 3. */
const maxBytesPerWord = 45;

/** SES takes 7-bit addresses only, so a name beyond ASCII goes as RFC 2047 encoded words. */
export function encodeMailbox({ name, address }: Mailbox): string {
  return name === undefined ? address : `${encodeName(name)} <${address}>`;
}

function encodeName(name: string): string {
  // A name that looks encoded is encoded once more: mail programs would show, or obey, what it hides.
  if (/[^ -~]/.test(name) || name.includes("=?")) return encodedWords(name);
  // A comma or a bracket outside quotes would be read as the end of the name, and two spaces as one.
  const isPlain = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(name);
  return isPlain ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A word must end between two characters, since each is decoded by itself; the space between words is not shown. */
function encodedWords(name: string): string {
  const words: string[] = [""];
  for (const character of name) {
    const longer = (words.at(-1) ?? "") + character;
    if (Buffer.byteLength(longer) <= maxBytesPerWord) words[words.length - 1] = longer;
    else words.push(character);
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}
