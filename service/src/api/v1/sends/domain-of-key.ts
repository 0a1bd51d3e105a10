import type { FastifyReply } from "fastify";
import type { SendRequest } from "../../../sends/send-request.ts";
import { otherDomain } from "../../auth/unauthorized.ts";

/**
 * Refuses a send from another domain than that of the key. Both are in the form that registered domains have: lower-case A-labels. A
 * subdomain is another domain.
 */
export function requireDomainOfKey(
  { domain }: { domain: string | undefined },
  request: SendRequest | undefined,
  reply: FastifyReply,
): void {
  if (domain === undefined || request === undefined || request.from.address.domain === domain) return;
  // No 401 shows what the account has left.
  reply.removeHeader("ratelimit").removeHeader("ratelimit-policy");
  throw otherDomain(domain);
}
