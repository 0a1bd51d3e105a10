import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";
import { getPublicSuffix } from "tldts";
import { AppError } from "../errors.ts";

/** Names that are set apart for documentation, tests and local networks; nobody can prove to own one (RFC 2606, 6761). */
const reservedSuffixes = [
  "test",
  "example",
  "invalid",
  "localhost",
  "local",
  "internal",
  "onion",
  "alt",
  "arpa",
  "example.com",
  "example.net",
  "example.org",
];

/** The one spelling under which a domain is stored, compared and handed to the provider: lower-case A-labels, no dot at the end. */
export function parseDomainName(text: string): string {
  const name = domainToASCII(text.toLowerCase().replace(/\.$/, ""));
  const problem = problemOf(text, name);
  if (problem === undefined) return name;
  throw new AppError("VALIDATION_ERROR", `domain_name ${problem}.`, {
    details: [{ field: "domain_name", code: "invalid", message: problem }],
  });
}

function problemOf(text: string, name: string): string | undefined {
  // The converter accepts a whole authority and drops parts of it, so anything but letters, digits, hyphens and dots goes first.
  if (text.includes("@")) return "is an email address; use the part after the @";
  if (/[/:]/.test(text)) return "must be the bare domain, without http://, path or port";
  if (/[^\p{L}\p{M}\p{N}.\-\u3002\uff0e\uff61]/u.test(text) || name === "") return "is not a domain name";
  if (isIP(name) !== 0 || /^[0-9.]+$/.test(name)) return "must be a name and not an IP address";
  // With a DKIM token and its label before it, the longest record would not be a name any more.
  if (name.length > 209) return "is longer than 209 characters, which leaves no room for its DNS records";
  const labels = name.split(".");
  if (labels.some((label) => !isLabel(label))) {
    return "has a label that is empty, longer than 63 characters, or begins or ends with a hyphen";
  }
  if (labels.length < 2) return "must have at least two labels, such as example.com";
  if (reservedSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) {
    return "is reserved for documentation, tests or local networks; use a domain that you own";
  }
  if (getPublicSuffix(name, { allowPrivateDomains: true }) === name) {
    return "is a public suffix under which others register names; use a domain that you own";
  }
  return undefined;
}

function isLabel(label: string): boolean {
  if (!/^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label)) return false;
  // Two hyphens in places three and four mean an encoding; only a valid one of IDNA is a name.
  return !/^..--/.test(label) || (label.startsWith("xn--") && isEncodedLabel(label));
}

function isEncodedLabel(label: string): boolean {
  const decoded = domainToUnicode(label);
  return decoded !== "" && decoded !== label && domainToASCII(decoded) === label;
}
