import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";

export interface HostNameProblem {
  /** Continues a sentence whose subject is the name: "is …", "must …", "has …". */
  problem: string;
}

/**
 * Returns the canonical spelling of a domain: at least two lower-case A-labels (UTS 46), without a trailing dot. Refuses
 * symbols, and the few characters that IDNA allows only in some contexts (joiners, middle dots).
 */
export function parseHostName(text: string): string | HostNameProblem {
  // Punycode takes quadratic time, so text that is too long is not converted.
  if (text.length > maxLength) return { problem: tooLong };
  if (alreadyCanonical.test(text)) return text;
  const name = domainToASCII(text);
  const problem = problemOf(text, name);
  return problem === undefined ? name : { problem };
}

const maxLength = 253;
/** Lower-case letters, digits and hyphens, without an encoded label or a numeric last label. Most names take this fast path. */
const alreadyCanonical =
  /^(?:(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!..--)[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const tooLong = `is longer than ${maxLength} characters`;

function problemOf(text: string, name: string): string | undefined {
  // The converter accepts ports, paths and percent-encoding, so only letters, digits, hyphens and dots are allowed.
  if (/[^\p{L}\p{M}\p{N}.\-\u3002\uff0e\uff61]/u.test(text) || name === "") return "is not a domain name";
  const labels = name.split(".");
  if (isIP(name) !== 0 || /^[0-9]+$/.test(labels.at(-1) ?? "")) return "must be a name and not an IP address";
  if (name.length > maxLength) return tooLong;
  if (labels.some((label) => !/^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))) {
    return "has a label that is empty, longer than 63 characters, or begins or ends with a hyphen";
  }
  if (labels.length < 2) return "must have at least two labels, such as example.com";
  // Hyphens as third and fourth character mark an encoded label.
  const encoded = labels.filter((label) => /^..--/.test(label)).map(decodeLabel);
  if (encoded.includes(undefined)) return "has a label with -- in it that is no valid encoding of letters";
  if (encoded.some((label = "") => !ofOneScript.test(label))) {
    return "has a label whose letters are not all of one script in common use; look-alikes of other names are refused";
  }
  return undefined;
}

/** Undefined unless the decoded label encodes to itself again; the converter leaves labels such as `xn--` unchanged. */
function decodeLabel(label: string): string | undefined {
  const decoded = domainToUnicode(label);
  const isEncoding = label.startsWith("xn--") && decoded !== label && domainToASCII(decoded) === label;
  return isEncoding && /^[\p{L}\p{M}\p{N}-]+$/u.test(decoded) ? decoded : undefined;
}

/** The recommended scripts of UAX 31, table 5. Japanese, Chinese and Korean mix several, with Latin ("highly restrictive", UTS 39). */
const scriptsThatMix = ["Latin Han Hiragana Katakana", "Latin Han Bopomofo", "Latin Han Hangul"];
const scriptsAlone =
  "Latin Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao " +
  "Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan";
/** Digits, the hyphen and accents belong to no script. A look-alike label that uses a single script passes. */
const ofOneScript = new RegExp(
  `^(?:${[...scriptsThatMix, ...scriptsAlone.split(" ")].map((names) => `${anyOf(`${names} Common Inherited`)}+`).join("|")})$`,
  "u",
);

function anyOf(scripts: string): string {
  return `[${scripts
    .split(" ")
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`;
}
