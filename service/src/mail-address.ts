import { parseHostName } from "./host-name.ts";

/** A parsed address. Code that checks, compares or submits addresses uses this and never the text. */
export interface Address {
  /** As the caller wrote it. */
  given: string;
  /** Local part as written, domain as lower-case A-labels. The provider gets this form. */
  ascii: string;
  /** `ascii` in lower case, for comparison with suppressions and other recipients. */
  key: string;
  domain: string;
}

/** A sender or reply address with an optional display name. */
export interface Mailbox {
  name: string | undefined;
  address: string;
}

/** A parsed sender or reply address. The provider gets `{ name, address: address.ascii }`. */
export interface ParsedMailbox {
  given: string;
  name: string | undefined;
  address: Address;
}

export interface AddressProblem {
  /** Continues a sentence that begins with the field: "must …", "has …". */
  problem: string;
}

/** Longer text is refused without parsing, so that the parse time is bounded. */
const maxGivenLength = 1000;
const maxLocalLength = 64;
const maxAddressLength = 254;
/** An encoded name has at most 730 characters and fits a header line of 998 together with the longest address. */
const maxNameLength = 128;

/** Characters that could end a header line: C0, DEL, C1 with U+0085, and the line and paragraph separators. */
export const controlCharacter = /[\p{Cc}\u2028\u2029]/u;
/** Direction marks, joiners, zero-width spaces and unpaired surrogates. */
const invisibleCharacter = /[\p{Cf}\p{Cs}]/u;

/**
 * Parses `local@domain`: an ASCII dot-atom (RFC 5322) before the @ and a domain after it. Refuses quotes, comments, groups,
 * routes, literals and commas. Percent and exclamation marks are ordinary characters and not routing.
 */
export function parseAddress(text: string): Address | AddressProblem {
  const problem = problemOfText(text);
  if (problem !== undefined) return { problem };
  if (text.endsWith(">")) return { problem: "must be an address alone, without a name or brackets around it" };
  return readAddress(text);
}

/** Parses `local@domain`, `Name <local@domain>` or `"Name" <local@domain>`. Within quotes a backslash escapes the next character. */
export function parseMailbox(text: string): ParsedMailbox | AddressProblem {
  const problem = problemOfText(text);
  if (problem !== undefined) return { problem };
  const parts = splitMailbox(text);
  if ("problem" in parts) return parts;
  const name = parts.name.trim();
  if (name.length > maxNameLength) return { problem: `has a name that is longer than ${maxNameLength} characters` };
  const address = readAddress(parts.address);
  if ("problem" in address) return address;
  return { given: text, name: name === "" ? undefined : name, address };
}

function problemOfText(text: string): string | undefined {
  if (text.length > maxGivenLength) return `is longer than ${maxGivenLength} characters`;
  if (text === "") return "is empty; give an address such as jane@example.com";
  if (controlCharacter.test(text)) return "has a line break or another control character; remove it";
  if (invisibleCharacter.test(text)) return "has an invisible character, such as a zero-width space; remove it";
  if (text.trim() !== text) return "begins or ends with a space; remove it";
  return undefined;
}

function splitMailbox(text: string): { name: string; address: string } | AddressProblem {
  const unreadable = { problem: "must be an address, such as jane@example.com or Jane Doe <jane@example.com>" };
  if (text.startsWith('"')) {
    const [, name, address] = /^"((?:[^"\\]|\\.)*)" *<([^<>]*)>$/u.exec(text) ?? [];
    if (name === undefined || address === undefined) return unreadable;
    return { name: name.replaceAll(/\\(.)/gu, "$1"), address };
  }
  const bracket = text.indexOf("<");
  if (bracket === -1) return { name: "", address: text };
  if (!text.endsWith(">")) return unreadable;
  const name = text.slice(0, bracket);
  // Outside quotes these characters begin a second address, a group, a comment or a literal.
  if (/[>"@,;:()[\]\\]/.test(name)) {
    return { problem: 'needs quotes around the name, as in "Doe, Jane" <jane@example.com>' };
  }
  return { name, address: text.slice(bracket + 1, -1) };
}

function readAddress(text: string): Address | AddressProblem {
  const at = text.indexOf("@");
  if (at === -1) return { problem: "has no @; give an address such as jane@example.com" };
  if (text.includes("@", at + 1)) return { problem: "has more than one @; give one address" };
  const local = text.slice(0, at);
  const problem = problemOfLocalPart(local);
  if (problem !== undefined) return { problem };
  const domain = readDomain(text.slice(at + 1));
  if (typeof domain !== "string") return domain;
  const ascii = `${local}@${domain}`;
  if (ascii.length > maxAddressLength) return { problem: `is longer than ${maxAddressLength} characters` };
  return { given: text, ascii, key: ascii.toLowerCase(), domain };
}

function problemOfLocalPart(local: string): string | undefined {
  if (local === "") return "has nothing before the @";
  if (/\s/.test(local)) return "has a space before the @";
  if (/[^!-~]/.test(local)) return "has letters beyond ASCII before the @, to which mail cannot be sent yet";
  if (local.length > maxLocalLength) return `has more than ${maxLocalLength} characters before the @`;
  if (!/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/.test(local)) {
    return "must have only letters, digits, dots and !#$%&'*+-/=?^_`{|}~ before the @";
  }
  if (local.startsWith(".") || local.endsWith(".") || local.includes("..")) {
    return "has a dot before the @ that is the first, the last or next to another";
  }
  return undefined;
}

function readDomain(text: string): string | AddressProblem {
  if (text === "") return { problem: "has nothing after the @" };
  if (/\s/.test(text)) return { problem: "has a space after the @" };
  const domain = parseHostName(text);
  return typeof domain === "string" ? domain : { problem: `has a domain that ${domain.problem}` };
}
