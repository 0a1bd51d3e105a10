import type { KeyVerdict } from "../../api-keys/identify-api-key.ts";
import { AppError } from "../../errors.ts";
import { suspended } from "../../logins/log-in.ts";

/** The answers to a missing or invalid credential: what is wrong with it and what to send instead. */

export function refused(message: string): AppError {
  return new AppError("UNAUTHORIZED", message);
}

export function refusedKey(kind: Exclude<KeyVerdict["kind"], "valid">): AppError {
  switch (kind) {
    case "typo":
      return refused("The API key is incomplete or has a typo. Copy it again; it looks like postern_live_… .");
    case "unknown":
      return refused("The API key is not known here. Check which installation it belongs to.");
    case "revoked":
      return refused("The API key was revoked. Create a new one at POST /api/v1/api-keys.");
    case "expired":
      return refused("The API key has expired. Create a new one at POST /api/v1/api-keys.");
    case "suspended":
      return suspended();
  }
}

export function missingCredential(
  accepted: "api-key-or-jwt" | "jwt",
  key: string | string[] | undefined,
  authorization: string | undefined,
): AppError {
  if (authorization !== undefined)
    return refused("The Authorization header must be: Bearer, a space, and the access token.");
  if (accepted === "api-key-or-jwt") return refused("Send an API key in X-API-Key or a JWT as Authorization: Bearer.");
  if (looksLikeToken(String(key))) return refused(tokenAsKey);
  const wrongKind = key === undefined ? "" : "API keys are for sending and GET /api/v1/account only. ";
  return refused(`${wrongKind}This path needs a JWT as Authorization: Bearer; POST /api/v1/auth/login issues one.`);
}

export const tokenAsKey = "X-API-Key holds a JWT. Send it as Authorization: Bearer instead.";

export function keyAsBearer(accepted: "api-key-or-jwt" | "jwt"): string {
  return accepted === "jwt"
    ? "An API key was sent as Bearer, but this path needs a JWT; POST /api/v1/auth/login issues one."
    : "An API key was sent as Bearer. Send it in the header X-API-Key instead.";
}

/** Both kinds of credential are recognised by their form, to name the mistake when one is sent in place of the other. */
export function looksLikeKey(text: string): boolean {
  return text.startsWith("postern_");
}

export function looksLikeToken(text: string): boolean {
  return /^eyJ[^.]*\.[^.]*\.[^.]*$/.test(text);
}
