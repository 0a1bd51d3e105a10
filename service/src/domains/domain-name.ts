import { getPublicSuffix } from "tldts";
import { AppError } from "../errors.ts";
import { type HostNameProblem, parseHostName } from "../host-name.ts";

/** Reserved for documentation, tests and local networks (RFC 2606, RFC 6761); no customer can own one. */
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

/**
 * Returns the canonical form for storage, comparison and the provider: lower-case A-labels without a dot at the end.
 */
export function parseDomainName(text: string): string {
  const name = readDomainName(text);
  if (typeof name === "string") return name;
  throw new AppError("VALIDATION_ERROR", `domain_name ${name.problem}.`, {
    details: [{ field: "domain_name", code: "invalid", message: name.problem }],
  });
}

function readDomainName(text: string): string | HostNameProblem {
  if (text.includes("@")) return { problem: "is an email address; use the part after the @" };
  if (/[/:]/.test(text)) return { problem: "must be the bare domain, without http://, path or port" };
  const name = parseHostName(text.replace(/\.$/, ""));
  if (typeof name !== "string") return name;
  const problem = problemOfName(name);
  return problem === undefined ? name : { problem };
}

function problemOfName(name: string): string | undefined {
  // The longest record name, with a DKIM token and `_domainkey`, would exceed the 253 characters of a DNS name.
  if (name.length > 209) return "is longer than 209 characters, which leaves no room for its DNS records";
  if (reservedSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) {
    return "is reserved for documentation, tests or local networks; use a domain that you own";
  }
  if (getPublicSuffix(name, { allowPrivateDomains: true }) === name) {
    return "is a public suffix, under which anyone can register names; use a domain that you own";
  }
  return undefined;
}
