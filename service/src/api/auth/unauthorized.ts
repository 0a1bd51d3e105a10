import type { KeyVerdict } from "../../api-keys/identify-api-key.ts";
import { AppError } from "../../errors.ts";
import type { CallerAccess } from "./route-access.ts";

/** The answers to a missing or invalid credential: what is wrong with it and what to send instead. */

export function refused(message: string): AppError {
  return new AppError("UNAUTHORIZED", message);
}

export function refusedKey(kind: Exclude<KeyVerdict["kind"], "valid" | "suspended">): AppError {
  switch (kind) {
    case "typo":
      return refused("The API key is incomplete or has a typo. Copy it again; it looks like postern_live_… .");
    case "unknown":
      return refused("The API key is not known here. Check which installation it belongs to.");
    case "revoked":
      return refused("The API key was revoked. Create a new one at POST /api/v1/api-keys.");
    case "expired":
      return refused("The API key has expired. Create a new one at POST /api/v1/api-keys.");
    case "replaced":
      return refused("This secret of the API key was replaced and has ended. Use the newest secret of the key.");
  }
}

const scopeNames: Partial<Record<CallerAccess["key"], string>> = {
  "send-or-read": "`send` or `read`",
  webhooks: "`webhooks` and the scope `read`",
};

export function missingScope({ key }: CallerAccess): AppError {
  const scope = scopeNames[key] ?? `\`${key}\``;
  return refused(
    `This path needs an API key with the scope ${scope}, and this key does not have it. The scopes of a key never change: ` +
      "create one with the scope at POST /api/v1/api-keys, or send a JWT as Authorization: Bearer.",
  );
}

export function otherDomain(domain: string): AppError {
  return refused(
    `This API key may send from ${domain} only. Change from, or use a key without a domain or with the domain of from.`,
  );
}

export function missingCredential(
  acceptsKeys: boolean,
  key: string | string[] | undefined,
  authorization: string | undefined,
): AppError {
  if (authorization !== undefined)
    return refused("The Authorization header must be: Bearer, a space, and the access token or API key.");
  if (acceptsKeys) return refused("Send an API key in X-API-Key, or an API key or a JWT as Authorization: Bearer.");
  if (looksLikeToken(String(key))) return refused(tokenAsKey);
  const wrongKind = key === undefined ? "" : "This path does not accept API keys. ";
  return refused(`${wrongKind}This path needs a JWT as Authorization: Bearer; POST /api/v1/auth/login issues one.`);
}

export const tokenAsKey = "X-API-Key holds a JWT. Send it as Authorization: Bearer instead.";

export const keyAsBearer =
  "An API key was sent as Bearer, but this path does not accept API keys. It needs a JWT; POST /api/v1/auth/login issues one.";

/** Both kinds of credential are recognised by their form: both may come as Bearer. */
export function looksLikeKey(text: string): boolean {
  return text.startsWith("postern_");
}

export function looksLikeToken(text: string): boolean {
  return /^eyJ[^.]*\.[^.]*\.[^.]*$/.test(text);
}
