import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";

/** Up to this size a body is read before the key is checked. */
const maxUncheckedBytes = 64 * 1024;
const maxLargePerAccount = 8;
const maxLarge = 32;

/** Without a length the body is chunked and may have any size; without both headers there is no body. */
export function isSmallBody({ headers }: FastifyRequest): boolean {
  const { "content-length": length, "transfer-encoding": chunks } = headers;
  if (length === undefined) return chunks === undefined;
  return Number(length) <= maxUncheckedBytes;
}

export interface LargeBodyLimit {
  admit(request: FastifyRequest, reply: FastifyReply, accountId: string): void;
}

/**
 * A large body occupies memory until the request is answered. So an account may have few of them in progress at a time, and all accounts
 * together not many. Further ones get 503 with Retry-After.
 */
export function createLargeBodyLimit(): LargeBodyLimit {
  const inProgress = new Map<string, number>();
  return {
    admit(request, reply, accountId) {
      // A connection that closed during authentication reads nothing, and its close event will not fire again.
      if (isSmallBody(request) || reply.raw.destroyed) return;
      const own = inProgress.get(accountId) ?? 0;
      const all = [...inProgress.values()].reduce((sum, count) => sum + count, 0);
      if (own >= maxLargePerAccount || all >= maxLarge) throw tooManyLarge();
      inProgress.set(accountId, own + 1);
      reply.raw.once("close", () => {
        const left = (inProgress.get(accountId) ?? 1) - 1;
        if (left === 0) inProgress.delete(accountId);
        else inProgress.set(accountId, left);
      });
    },
  };
}

function tooManyLarge(): AppError {
  return new AppError("UNAVAILABLE", "Too many large requests are in progress. Send fewer at the same time.", {
    retryAfterSeconds: 1,
  });
}
