import type { FastifyRequest } from "fastify";
import { type Accepted, type Authenticator, authenticate, type Caller } from "./authenticate.ts";

/** A hook that authenticates before the body is read, and the function with which the handler gets its caller. */
export function requireCaller(authenticator: Authenticator, accepted: Accepted) {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      callers.set(request, await authenticate(authenticator, request.headers, accepted));
    },
    callerOf: (request: FastifyRequest): Caller => {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error("the handler ran without the hook that authenticates");
      return caller;
    },
  };
}
