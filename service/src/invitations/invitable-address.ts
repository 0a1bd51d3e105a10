import { parseAddress } from "../mail-address.ts";

/** No domain ends in .invalid (RFC 2606). The names of users who log in by OIDC do, and these users join by the rules of the operator only. */
export function isInvitable(email: string): boolean {
  const parsed = parseAddress(email);
  return !("problem" in parsed) && !/(^|\.)invalid$/.test(parsed.domain);
}
