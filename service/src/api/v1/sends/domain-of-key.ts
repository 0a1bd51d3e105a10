import type { FastifyReply } from "fastify";
import type { SendRequest } from "../../../sends/send-request.ts";
import { otherDomain } from "../../auth/unauthorized.ts";

interface KeyDomain {
  /** The only domain that the key may send from. */
  domain: string | undefined;
}

/** Both domains are in the form that registered ones have: lower-case A-labels. A subdomain is another domain. */
export function isOfOtherDomain({ domain }: KeyDomain, request: SendRequest | undefined): boolean {
  return domain !== undefined && request !== undefined && request.from.address.domain !== domain;
}

export function requireDomainOfKey(key: KeyDomain, request: SendRequest | undefined, reply: FastifyReply): void {
  if (key.domain === undefined || !isOfOtherDomain(key, request)) return;
  // No 401 shows what the account has left.
  reply.removeHeader("ratelimit").removeHeader("ratelimit-policy");
  throw otherDomain(key.domain);
}
