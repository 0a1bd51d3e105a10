import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Sender } from "../../accept/accept-send.ts";
import { apiKeyHmac } from "../../api-keys/api-key.ts";
import { findUsableKeys } from "../../api-keys/api-key-store.ts";
import { createBatch } from "../../db/batch.ts";
import { AppError } from "../../errors.ts";
import { type Authenticator, authenticate } from "./authenticate.ts";

const maxKnownKeys = 50_000;
/** Up to here a body is read before it is known whether the key still counts. */
const maxUncheckedBytes = 64 * 1024;
const maxLargePerAccount = 8;
const maxLarge = 32;

/**
 * Finds the account behind a send without a round trip of its own. Whose key it is never changes, so that is remembered;
 * whether it still counts is asked by the statement that stores the send, so that a revocation acts at once.
 */
export function createSenderGate(authenticator: Authenticator) {
  const { db, peppers } = authenticator;
  const known = new Map<string, Sender>();
  const largeBodies = new Map<string, number>();
  const isUsable = createBatch({
    run: (hmacs: Buffer[]) => findUsableKeys(db, hmacs),
    maxItems: 1000,
    maxBytes: 1024 * 1024,
    sizeOf: (hmac) => hmac.length,
  });

  return {
    async identify(request: FastifyRequest): Promise<Sender> {
      const { headers } = request;
      const key = headers["x-api-key"];
      // By its hash, so that no key stays in memory; its HMAC takes eight times as long and is remembered as well.
      const name = typeof key === "string" ? hash("sha256", key, "base64url") : "";
      const found = known.get(name);
      if (found !== undefined && isSmall(headers)) return found;
      const caller = await authenticate(authenticator, headers, "api-key-or-jwt");
      const sender = { accountId: caller.accountId, mode: caller.mode };
      if (typeof key === "string" && caller.credential.kind === "api-key") {
        if (known.size >= maxKnownKeys) known.clear();
        known.set(name, { ...sender, keyHmac: apiKeyHmac(peppers.current.key, key) });
      }
      return { ...sender, keyHmac: undefined };
    },

    /**
     * A large body takes memory until it is stored, so an account has few of them under way at a time, and all together not
     * many. Who sends more at once is asked to come again.
     */
    admitBody(request: FastifyRequest, reply: FastifyReply, { accountId }: Sender): void {
      // Who hung up while it was being identified takes nothing any more, and would never give it back: its close is over.
      if (isSmall(request.headers) || reply.raw.destroyed) return;
      const own = largeBodies.get(accountId) ?? 0;
      const all = [...largeBodies.values()].reduce((sum, count) => sum + count, 0);
      if (own >= maxLargePerAccount || all >= maxLarge) throw tooManyLarge();
      largeBodies.set(accountId, own + 1);
      reply.raw.once("close", () => {
        const left = (largeBodies.get(accountId) ?? 1) - 1;
        if (left === 0) largeBodies.delete(accountId);
        else largeBodies.set(accountId, left);
      });
    },

    /** Throws 401 unless the credential of the request counts at this moment; many requests share one look. */
    async requireUsable(request: FastifyRequest, { keyHmac }: Sender): Promise<void> {
      if (keyHmac !== undefined && (await isUsable(keyHmac))) return;
      await authenticate(authenticator, request.headers, "api-key-or-jwt");
    },
  };
}

function tooManyLarge(): AppError {
  return new AppError("UNAVAILABLE", "Too many large mails are under way. Send fewer at the same time.", {
    retryAfterSeconds: 1,
  });
}

/** Without a length the body comes in chunks and may be any size; without both there is none. */
function isSmall(headers: FastifyRequest["headers"]): boolean {
  const { "content-length": length, "transfer-encoding": chunks } = headers;
  if (length === undefined) return chunks === undefined;
  return Number(length) <= maxUncheckedBytes;
}
