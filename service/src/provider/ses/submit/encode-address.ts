import type { Mailbox } from "../../../mail-address.ts";

/** An encoded word has at most 75 characters, 12 of them delimiters; base64 turns 3 bytes into 4 characters. */
const maxBytesPerWord = 45;

/** SES accepts only 7-bit addresses, so a non-ASCII name becomes RFC 2047 encoded words. */
export function encodeMailbox({ name, address }: Mailbox): string {
  return name === undefined ? address : `${encodeName(name)} <${address}>`;
}

function encodeName(name: string): string {
  // A name that looks like encoded words is encoded as well; otherwise mail clients would decode it.
  if (/[^ -~]/.test(name) || name.includes("=?")) return encodedWords(name);
  // Without quotes, a comma or a bracket would end the name, and two spaces would become one.
  const isPlain = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(name);
  return isPlain ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Mail clients decode each word separately, so no character may span two words. They drop the space between words. */
function encodedWords(name: string): string {
  const words: string[] = [""];
  for (const character of name) {
    const longer = (words.at(-1) ?? "") + character;
    if (Buffer.byteLength(longer) <= maxBytesPerWord) words[words.length - 1] = longer;
    else words.push(character);
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}
