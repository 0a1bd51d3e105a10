import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { createBodyTurns } from "./body-turns.ts";

/** Up to this size a body is read before the key is checked. */
const maxUncheckedBytes = 64 * 1024;
const maxLarge = 32;

/** Without a length the body is chunked and may have any size; without both headers there is no body. */
export function isSmallBody({ headers }: FastifyRequest): boolean {
  const { "content-length": length, "transfer-encoding": chunks } = headers;
  if (length === undefined) return chunks === undefined;
  return Number(length) <= maxUncheckedBytes;
}

export interface LargeBodyLimit {
  /** The owner is an account, or an address where there is no account yet. */
  admit(request: FastifyRequest, reply: FastifyReply, owner: string): void;
  /** Resolves when the body of the request may be parsed. */
  waitForTurn(request: FastifyRequest): Promise<void>;
}

/**
 * A large body occupies memory until the request is answered. So an owner may have few of them in progress at a time, and all owners
 * together not many. Further ones get 503 with Retry-After.
 */
export function createLargeBodyLimit({ perOwner }: { perOwner: number }): LargeBodyLimit {
  const inProgress = new Map<string, number>();
  const owners = new WeakMap<FastifyRequest, string>();
  const turns = createBodyTurns({ perOwner, total: maxLarge, refuse: tooManyLarge });
  return {
    admit(request, reply, owner) {
      // A connection that closed during authentication reads nothing, and its close event will not fire again.
      if (isSmallBody(request) || reply.raw.destroyed) return;
      const own = inProgress.get(owner) ?? 0;
      const all = [...inProgress.values()].reduce((sum, count) => sum + count, 0);
      if (own >= perOwner || all >= maxLarge) throw tooManyLarge();
      inProgress.set(owner, own + 1);
      owners.set(request, owner);
      reply.raw.once("close", () => {
        const left = (inProgress.get(owner) ?? 1) - 1;
        if (left === 0) inProgress.delete(owner);
        else inProgress.set(owner, left);
      });
    },
    async waitForTurn(request) {
      const owner = owners.get(request);
      if (owner !== undefined && Buffer.isBuffer(request.body)) await turns.wait(owner, request.body.length);
    },
  };
}

function tooManyLarge(): AppError {
  return new AppError("UNAVAILABLE", "Too many large requests are in progress. Send fewer at the same time.", {
    retryAfterSeconds: 1,
  });
}
