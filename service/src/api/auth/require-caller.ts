import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../actor.ts";
import { AppError } from "../../errors.ts";
import { originOf } from "../../logins/client.ts";
import type { ApiServer } from "../http/api-server.ts";
import { describeLimits, rateLimitHeaders, readWindows, writeWindows } from "../http/rate-limit-headers.ts";
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
 * gets its caller. The hook also limits the statements that the account runs at a time, and the rates of GET and HEAD and of
 * changes that have a cost.
 *
 * A client can send its body 30 s later. So `checkCallerAgain` repeats the check after the body: otherwise a removed member or a revoked
 * key could still act through a request that it had started before.
 */
export function requireCaller({ authenticator, readLimits }: CallerDeps) {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const access = getCallerAccess(request.method, request.routeOptions.url);
      const check = async (): Promise<Caller> => {
        const caller = await authenticate(authenticator, request.headers, access, (known) => {
          request.loggedCaller = known;
        });
        const db = authenticator.db.forAccount(caller.accountId, actorOf(caller, request));
        callers.set(request, { ...caller, db: readLimits.limit(db) });
        return caller;
      };
      const { accountId, credential } = await check();
      // Operators read of all accounts: members of their own one must not keep them out.
      const reader = access.role === "operator" && credential.kind === "jwt" ? credential.userId : accountId;
      const isRead = request.method === "GET" || request.method === "HEAD";
      if (isRead) countRead(readLimits, reader, reply);
      if (access.writeCost !== undefined) countWrite(readLimits, accountId, access.writeCost);
      if (!isRead && hasBody(request)) request.checkCaller = check;
    },
    callerOf: (request: FastifyRequest): Caller => {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error("the handler ran without the hook that authenticates");
      return caller;
    },
    /** For a response that takes long: throws unless the hook would still admit the request. */
    authenticateAgain: async (request: FastifyRequest): Promise<void> => {
      await authenticate(authenticator, request.headers, getCallerAccess(request.method, request.routeOptions.url));
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

/** For all routes, so that none can forget it. Before the validation, so that 401 precedes 422. */
export function checkCallerAgain(app: ApiServer): void {
  app.decorateRequest("checkCaller", undefined);
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.checkCaller === undefined) done();
    else void finishCheck(request.checkCaller, done);
  });
}

async function finishCheck(check: () => Promise<unknown>, done: (error?: Error) => void): Promise<void> {
  let problem: Error | undefined;
  try {
    await check();
  } catch (error) {
    problem = error instanceof Error ? error : new Error("the check of the caller threw a value that is not an error");
  }
  done(problem);
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
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

function countWrite(readLimits: ReadLimits, accountId: string, cost: number): void {
  const { usage, retryMs } = readLimits.countWrite(accountId, cost);
  if (retryMs === undefined) return;
  const retryAfterSeconds = Math.ceil(retryMs / 1000);
  const counted = cost === 1 ? "" : ` This request counts as ${cost}.`;
  throw new AppError(
    "RATE_LIMIT_EXCEEDED",
    `The account has reached the limit for changes of the suppression list (${describeLimits(usage, writeWindows)}).${counted} Send the request ` +
      `again after ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}
