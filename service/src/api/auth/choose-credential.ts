import type { FastifyRequest } from "fastify";
import type { CallerAccess } from "./route-access.ts";
import { keyAsBearer, looksLikeKey, looksLikeToken, missingCredential, refused, tokenAsKey } from "./unauthorized.ts";

export interface ChosenCredential {
  kind: "api-key" | "jwt";
  text: string;
}

/**
 * Which credential of the request counts, before any is verified:
 *
 * 1. A route that accepts no API key ignores X-API-Key and reads Authorization: Bearer.
 * 2. With both headers the API key in X-API-Key counts. For domains, suppressions and events, whose interface requires a JWT,
 *    the credential in Authorization counts.
 * 3. Authorization: Bearer holds a JWT or an API key; the form of the text says which.
 *
 * The other credential is never a second chance: if the one that counts is invalid, the request is refused.
 */
export function chooseCredential(headers: FastifyRequest["headers"], access: CallerAccess): ChosenCredential {
  const { authorization } = headers;
  const key = headers["x-api-key"];
  const acceptsKeys = access.key !== "never";
  if (acceptsKeys && key !== undefined && !(access.prefersJwt && authorization !== undefined)) {
    if (looksLikeToken(String(key))) throw refused(tokenAsKey);
    return { kind: "api-key", text: String(key) };
  }
  const bearer = bearerOf(authorization);
  if (bearer === undefined) throw missingCredential(acceptsKeys, key, authorization);
  if (!looksLikeKey(bearer)) return { kind: "jwt", text: bearer };
  if (!acceptsKeys) throw refused(keyAsBearer);
  return { kind: "api-key", text: bearer };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1];
}
