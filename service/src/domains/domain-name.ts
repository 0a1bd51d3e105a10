import { getPublicSuffix } from "tldts";
import { AppError } from "../errors.ts";
import { type HostNameProblem, parseHostName } from "../host-name.ts";
import { sandboxDomain } from "../provider/sandbox/scenarios.ts";

/**
 * Returns the canonical form for storage, comparison and the provider: lower-case A-labels without a dot at the end. Only the
 * form is checked; a reserved name such as example.com stays `Pending`, because nobody can publish its records.
 */
export function parseDomainName(text: string): string {
  const name = readDomainName(text);
  if (name === sandboxDomain) throw sandboxIsTaken();
  if (typeof name === "string") return name;
  throw new AppError("VALIDATION_ERROR", `domain_name ${name.problem}.`, {
    details: [{ field: "domain_name", code: "invalid", message: name.problem }],
  });
}

function sandboxIsTaken(): AppError {
  return new AppError(
    "CONFLICT",
    `${sandboxDomain} belongs to every account already: test mail can be sent from it. Register a domain that you own for live mail.`,
  );
}

/** The canonical form as above, or what is wrong with the text. */
export function readDomainName(text: string): string | HostNameProblem {
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
  if (getPublicSuffix(name, { allowPrivateDomains: true }) === name) {
    return "is a public suffix, under which anyone can register names; use a domain that you own";
  }
  return undefined;
}
