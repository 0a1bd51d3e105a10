import type { FastifyRequest } from "fastify";
import { apiKeyHmac, isIntactApiKey } from "../api-keys/api-key.ts";
import { findUsableKeys } from "../api-keys/api-key-store.ts";
import { createBatch } from "../db/batch.ts";
import type { Sender } from "../sends/accept-send.ts";
import { type Authenticator, authenticate } from "./authenticate.ts";

const maxKnownKeys = 50_000;
/** Up to here a body is read before it is known whether the key still counts. */
const maxUncheckedBytes = 64 * 1024;

/**
 * Finds the account behind a send without a round trip of its own. Whose key it is never changes, so that is remembered;
 * whether it still counts is asked by the statement that stores the send, so that a revocation acts at once.
 */
export function createSenderGate(authenticator: Authenticator) {
  const { db, peppers } = authenticator;
  const known = new Map<string, Omit<Sender, "keyHmac">>();
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
      const hmac = typeof key === "string" && isIntactApiKey(key) ? apiKeyHmac(peppers.current.key, key) : undefined;
      const found = hmac === undefined ? undefined : known.get(hmac.toString("latin1"));
      if (found !== undefined && isSmall(headers)) return { ...found, keyHmac: hmac };
      const caller = await authenticate(authenticator, headers, "api-key-or-jwt");
      const sender = { accountId: caller.accountId, mode: caller.mode };
      if (hmac !== undefined && caller.credential.kind === "api-key") {
        if (known.size >= maxKnownKeys) known.clear();
        known.set(hmac.toString("latin1"), sender);
      }
      return { ...sender, keyHmac: undefined };
    },

    /** Throws 401 unless the credential of the request counts at this moment; many requests share one look. */
    async requireUsable(request: FastifyRequest, { keyHmac }: Sender): Promise<void> {
      if (keyHmac !== undefined && (await isUsable(keyHmac))) return;
      await authenticate(authenticator, request.headers, "api-key-or-jwt");
    },
  };
}

function isSmall(headers: FastifyRequest["headers"]): boolean {
  const length = headers["content-length"];
  return length !== undefined && Number(length) <= maxUncheckedBytes;
}
