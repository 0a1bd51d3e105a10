import { randomUUIDv7 } from "node:crypto";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { apiKeyHmac, type KeyType } from "./api-key.ts";
import { type ApiKey, insertApiKey } from "./api-key-store.ts";
import { newApiKey } from "./new-api-key.ts";
import { defaultScopes, type KeyScope } from "./scopes.ts";

export interface KeyRequest {
  name: string;
  type: KeyType;
  expiresAt: string | null;
  scopes?: readonly KeyScope[];
  /** As the accept statement compares it: lower-case A-labels. Only for a key whose one scope is `send`. */
  domain?: string | null;
  /** A user; undefined for the command line. */
  createdBy?: string | undefined;
}

/** Created once per process. */
export interface ApiKeyIssuer {
  pepper: Secret;
  cellCode: string;
}

/** Returns the full key, which is not stored and cannot be shown again. */
export async function createApiKey(
  db: AccountDatabase,
  issuer: ApiKeyIssuer,
  request: KeyRequest,
): Promise<ApiKey & { key: string }> {
  const { key, keyPrefix } = await newApiKey(db, request.type, issuer.cellCode);
  const decision = await insertApiKey(db, {
    scopes: defaultScopes,
    domain: null,
    createdBy: undefined,
    ...request,
    id: randomUUIDv7(),
    keyPrefix,
    pepperId: issuer.pepper.id,
    secretHmac: apiKeyHmac(issuer.pepper.key, key),
  });
  switch (decision.kind) {
    case "created": {
      const { kind: _kind, ...created } = decision;
      return { ...created, key };
    }
    case "not-allowed":
      throw new AppError("FORBIDDEN", "This needs the role developer, and you no longer have it in this account.");
    case "expired":
      throw expiryInThePast();
    case "limit-reached":
      throw limitReached(decision.limit);
  }
}

function expiryInThePast(): AppError {
  const problem = { field: "expires_at", code: "in_the_past", message: "must be in the future" } as const;
  return new AppError("VALIDATION_ERROR", `expires_at ${problem.message}.`, { details: [problem] });
}

function limitReached(limit: number): AppError {
  const message = `This account has reached its limit of ${limit} API keys. Revoke one that it no longer needs.`;
  return new AppError("VALIDATION_ERROR", message, { details: [{ field: "body", code: "invalid", message }] });
}
