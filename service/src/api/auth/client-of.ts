import type { FastifyRequest } from "fastify";
import type { Client } from "../../logins/client.ts";

/** Behind a trusted proxy the address is the one that the proxy reports. */
export function clientOf(request: FastifyRequest): Client {
  return { address: request.ip, userAgent: request.headers["user-agent"], requestId: request.id };
}
