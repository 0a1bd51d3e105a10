import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";

export interface HostNameProblem {
  /** Continues a sentence that begins with what was named: "is …", "must …", "has …". */
  problem: string;
}

/**
 * The one spelling of a domain: lower-case A-labels by UTS 46, at least two, without a dot at the end. The few marks that
 * IDNA allows only in certain places (joiners, middle dots) are refused, and so are symbols.
 */
export function parseHostName(text: string): string | HostNameProblem {
  // Punycode takes quadratic time, so what cannot become a name is not converted.
  if (text.length > maxLength) return { problem: tooLong };
  if (alreadyRight.test(text)) return text;
  const name = domainToASCII(text);
  const problem = problemOf(text, name);
  return problem === undefined ? name : { problem };
}

const maxLength = 253;
/** Lower-case letters, digits and hyphens, without an encoded label or one of digits at the end: most names, and the quick way. */
const alreadyRight = /^(?:(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!..--)[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const tooLong = `is longer than ${maxLength} characters`;

function problemOf(text: string, name: string): string | undefined {
  // The converter accepts a whole authority, decodes %61 and drops parts, so anything but letters, digits, hyphens and dots goes.
  if (/[^\p{L}\p{M}\p{N}.\-\u3002\uff0e\uff61]/u.test(text) || name === "") return "is not a domain name";
  const labels = name.split(".");
  if (isIP(name) !== 0 || /^[0-9]+$/.test(labels.at(-1) ?? "")) return "must be a name and not an IP address";
  if (name.length > maxLength) return tooLong;
  if (labels.some((label) => !/^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))) {
    return "has a label that is empty, longer than 63 characters, or begins or ends with a hyphen";
  }
  if (labels.length < 2) return "must have at least two labels, such as example.com";
  // Two hyphens in places three and four mean an encoding.
  const encoded = labels.filter((label) => /^..--/.test(label)).map(decodeLabel);
  if (encoded.includes(undefined)) return "has a label with -- in it that is no valid encoding of letters";
  if (encoded.some((label = "") => !ofOneScript.test(label))) {
    return "has a label whose letters are not all of one script in common use, as look-alikes of other names have";
  }
  return undefined;
}

/** Undefined unless it is what its own letters encode to; the converter leaves `xn--.de` and the like as they are. */
function decodeLabel(label: string): string | undefined {
  const decoded = domainToUnicode(label);
  const isEncoding = label.startsWith("xn--") && decoded !== label && domainToASCII(decoded) === label;
  return isEncoding && /^[\p{L}\p{M}\p{N}-]+$/u.test(decoded) ? decoded : undefined;
}

/** Those of UAX 31, table 5. Japanese, Chinese and Korean write several, and Latin between them ("highly restrictive", UTS 39). */
const scriptsThatMix = ["Latin Han Hiragana Katakana", "Latin Han Bopomofo", "Latin Han Hangul"];
const scriptsAlone =
  "Latin Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao " +
  "Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan";
/** Digits, the hyphen and accents belong to no script. A label that imitates another all in one script passes. */
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
