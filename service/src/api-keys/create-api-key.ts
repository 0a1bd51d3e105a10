import { randomUUIDv7 } from "node:crypto";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { apiKeyHmac, generateApiKey, type KeyType } from "./api-key.ts";
import { type ApiKey, insertApiKey } from "./api-key-store.ts";

interface KeyRequest {
  name: string;
  type: KeyType;
  expiresAt: string | null;
}

/** What making a key needs; made once per process. */
export interface ApiKeyIssuer {
  pepper: Secret;
  cellCode: string;
}

/** The whole key is in this answer and nowhere else. */
export async function createApiKey(
  db: AccountDatabase,
  press: ApiKeyIssuer,
  request: KeyRequest,
): Promise<ApiKey & { key: string }> {
  const { key, keyPrefix } = generateApiKey(request.type, press.cellCode);
  const stored = await insertApiKey(db, {
    ...request,
    id: randomUUIDv7(),
    keyPrefix,
    pepperId: press.pepper.id,
    secretHmac: apiKeyHmac(press.pepper.key, key),
  });
  if (stored === undefined) throw expiryInThePast();
  return { ...stored, key };
}

function expiryInThePast(): AppError {
  const problem = { field: "expires_at", code: "in_the_past", message: "must be in the future" };
  return new AppError("VALIDATION_ERROR", `expires_at ${problem.message}.`, { details: [problem] });
}
