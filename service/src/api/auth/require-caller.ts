import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../actor.ts";
import { AppError } from "../../errors.ts";
import { originOf } from "../../logins/client.ts";
import { describeLimits, rateLimitHeaders, readWindows } from "../http/rate-limit-headers.ts";
import type { ReadLimits } from "../http/read-limits.ts";
import { type Authenticator, authenticate, type Caller } from "./authenticate.ts";
import { clientOf } from "./client-of.ts";
import { getCallerAccess } from "./route-access.ts";

interface CallerDeps {
  authenticator: Authenticator;
  readLimits: ReadLimits;
}

/**
 * A hook that authenticates by the entry of the route in route-access.ts before the body is read, and the function with which the handler
 * gets its caller. The hook also limits
 * the statements that the account runs at a time, and the rate of GET and HEAD.
 */
export function requireCaller({ authenticator, readLimits }: CallerDeps) {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const access = getCallerAccess(request.method, request.routeOptions.url);
      const caller = await authenticate(authenticator, request.headers, access);
      const isRead = request.method === "GET" || request.method === "HEAD";
      if (isRead) countRead(readLimits, caller.accountId, reply);
      const db = authenticator.db.forAccount(caller.accountId, actorOf(caller, request));
      callers.set(request, { ...caller, db: readLimits.limit(db) });
    },
    callerOf: (request: FastifyRequest): Caller => {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error("the handler ran without the hook that authenticates");
      return caller;
    },
  };
}

/** Who the audit names for the actions of this request. */
function actorOf({ credential }: Caller, request: FastifyRequest): Actor {
  const origin = originOf(clientOf(request));
  return credential.kind === "jwt"
    ? { kind: "user", id: credential.userId, ...origin }
    : { kind: "key", id: credential.keyId, ...origin };
}

function countRead(readLimits: ReadLimits, accountId: string, reply: FastifyReply): void {
  const { usage, retryMs } = readLimits.count(accountId);
  reply.headers(rateLimitHeaders(usage, readWindows));
  if (retryMs === undefined) return;
  const retryAfterSeconds = Math.ceil(retryMs / 1000);
  throw new AppError(
    "RATE_LIMIT_EXCEEDED",
    `The account has reached the limit for reads (${describeLimits(usage, readWindows)}). Read again after ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}
