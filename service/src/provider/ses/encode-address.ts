import { domainToASCII } from "node:url";

/** What fits between the 12 characters around it when an encoded word may have 75 and base64 makes 4 of 3. */
const maxBytesPerWord = 45;

/** SES takes 7-bit addresses only: the name as RFC 2047 encoded words, the domain as punycode, the local part as it is. */
export function encodeAddress(address: string): string {
  const [, name = "", inBrackets] = /^\s*(.*?)\s*<([^<>]*)>\s*$/s.exec(address) ?? [];
  const mailbox = withAsciiDomain(inBrackets ?? address.trim());
  const shown = encodeDisplayName(name);
  return shown === "" ? mailbox : `${shown} <${mailbox}>`;
}

function encodeDisplayName(given: string): string {
  // A line break in a name would start a header of the sender's choice.
  const name = unquote(given)
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  if (/[^ -~]/.test(name)) return encodedWords(name);
  // A comma or a bracket outside quotes would be read as the end of the name.
  const isPlain = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/.test(name);
  return isPlain ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
}

function unquote(name: string): string {
  const quoted = /^"(.*)"$/s.exec(name)?.[1];
  return quoted?.replaceAll(/\\(.)/gs, "$1") ?? name;
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

function withAsciiDomain(mailbox: string): string {
  const at = mailbox.lastIndexOf("@");
  const domain = mailbox.slice(at + 1);
  if (at === -1 || /^[ -~]*$/.test(domain)) return mailbox;
  // Empty when it is no domain at all; SES then says so better than we could.
  return `${mailbox.slice(0, at)}@${domainToASCII(domain) || domain}`;
}
