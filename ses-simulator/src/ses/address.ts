import { badRequest } from "./ses-error.ts";

export interface Address {
  local: string;
  domain: string;
  /** `local@domain` as given, without a display name. */
  spec: string;
}

/** Accepts `local@domain` and `Name <local@domain>`. SES has no SMTPUTF8, so everything must be 7-bit ASCII. */
export function parseAddress(text: string): Address {
  if (/[\r\n\0]/.test(text)) throw badRequest("Local address contains control or whitespace");
  if (/[^\x20-\x7e]/.test(text)) throw badRequest(`Address must be 7-bit ASCII: <${text}>`);
  // A display name is an RFC 5322 phrase: outside quotes, a comma or a bracket would start another address.
  const spec = /^(?:"(?:[^"\\]|\\.)*"|[^"(),:;<>@[\\\]])*<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim();
  const at = spec.lastIndexOf("@");
  if (at < 1 || at === spec.length - 1) throw badRequest(`Missing final '@domain'`);
  const address = { local: spec.slice(0, at), domain: spec.slice(at + 1), spec };
  requireLocal(address.local);
  requireDomain(address.domain);
  return address;
}

/** In lower case, because domains are case-insensitive. */
export function domainOf(spec: string): string {
  return spec.slice(spec.lastIndexOf("@") + 1).toLowerCase();
}

export function requireDomain(domain: string): void {
  if (/[\s]/.test(domain)) throw badRequest("Domain contains control or whitespace");
  if (domain.startsWith(".")) throw badRequest("Domain starts with dot");
  if (domain.includes("..")) throw badRequest("Domain contains dot-dot");
  if (domain.length > 253 || !domain.split(".").every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))) {
    throw badRequest("Domain contains illegal character");
  }
}

function requireLocal(local: string): void {
  const quoted = /^"(?:[^"\\]|\\.)*"$/.test(local);
  if (!quoted && /[\s"(),:;<>@[\\\]]/.test(local)) throw badRequest("Local address contains control or whitespace");
  if (!quoted && (local.startsWith(".") || local.endsWith(".") || local.includes(".."))) {
    throw badRequest("Local address starts, ends or continues with a dot");
  }
  if (local.length > 64) throw badRequest("Local address is longer than 64 characters");
}
