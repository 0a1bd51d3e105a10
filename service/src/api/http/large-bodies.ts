import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { createBodyTurns } from "./body-turns.ts";

/** Up to this size a body is read before the key is checked. */
const maxUncheckedBytes = 64 * 1024;
/** About the time in which what is in progress is parsed (body-turns.ts). */
const retryAfterSeconds = 5;
/** Bodies that wait to be parsed. The bytes in progress limit them long before. */
const maxWaiting = 256;

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
  /** For a small body that stands for so many bytes of content. */
  waitForContent(owner: string, bytes: number): Promise<void>;
}

interface ByteLimits {
  /** In progress at the same time, of one owner and of all. The first body of an owner may be larger than its share. */
  perOwner: number;
  total: number;
  /** A body without a length counts as this large. */
  largest: number;
  /** No body counts as smaller than this. */
  smallest?: number;
}

/**
 * A large body occupies memory until the request is answered. So the bodies of an owner in progress may have so many bytes together, and
 * those of all owners as well. Further ones get 503 with Retry-After.
 */
export function createLargeBodyLimit({ perOwner, total, largest, smallest = 0 }: ByteLimits): LargeBodyLimit {
  const bytesOf = new Map<string, number>();
  const owners = new WeakMap<FastifyRequest, string>();
  const turns = createBodyTurns({ perOwner: maxWaiting, total: maxWaiting, refuse: tooManyLarge });
  let inProgress = 0;

  function occupy(owner: string, bytes: number): void {
    inProgress += bytes;
    const own = (bytesOf.get(owner) ?? 0) + bytes;
    if (own === 0) bytesOf.delete(owner);
    else bytesOf.set(owner, own);
  }

  return {
    admit(request, reply, owner) {
      // A connection that closed during authentication reads nothing, and its close event will not fire again.
      if (isSmallBody(request) || reply.raw.destroyed) return;
      const declared = Number(request.headers["content-length"] ?? largest);
      const bytes = Math.min(Math.max(declared, smallest), largest);
      const own = bytesOf.get(owner) ?? 0;
      if ((own > 0 && own + bytes > perOwner) || inProgress + bytes > total) throw tooManyLarge();
      occupy(owner, bytes);
      owners.set(request, owner);
      reply.raw.once("close", () => occupy(owner, -bytes));
    },
    async waitForContent(owner, bytes) {
      if (bytes > maxUncheckedBytes) await turns.wait(owner, bytes);
    },
    async waitForTurn(request) {
      const owner = owners.get(request);
      if (owner !== undefined && Buffer.isBuffer(request.body)) await turns.wait(owner, request.body.length);
    },
  };
}

function tooManyLarge(): AppError {
  return new AppError("UNAVAILABLE", "Too many large requests are in progress. Send fewer at the same time.", {
    retryAfterSeconds,
  });
}
