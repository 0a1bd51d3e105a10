import type { FastifyRequest } from "fastify";
import { type Accepted, type Authenticator, authenticate, type Caller } from "./authenticate.ts";

/** A hook that lets only known callers on to the body, and the way for a handler to ask who it is. */
export function requireCaller(authenticator: Authenticator, accepted: Accepted) {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      callers.set(request, await authenticate(authenticator, request.headers, accepted));
    },
    callerOf: (request: FastifyRequest): Caller => {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error("a route asks for its caller without the hook that finds it");
      return caller;
    },
  };
}
