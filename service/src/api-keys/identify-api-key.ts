import type { Queryable } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";
import { apiKeyHmac, isIntactApiKey } from "./api-key.ts";
import { findKeyByHmacs, repepperApiKey, type StoredKey } from "./api-key-store.ts";

export type KeyVerdict =
  | { kind: "valid"; key: StoredKey }
  | { kind: "typo" | "unknown" | "revoked" | "expired" | "suspended" };

/** Says whose key it is, or why it is refused; a reason beyond "unknown" is given only to who has the whole secret. */
export async function identifyApiKey(db: Queryable, peppers: SecretPair, text: string): Promise<KeyVerdict> {
  if (!isIntactApiKey(text)) return { kind: "typo" };
  const hmac = apiKeyHmac(peppers.current.key, text);
  const others = peppers.second === undefined ? [] : [apiKeyHmac(peppers.second.key, text)];
  const key = await findKeyByHmacs(db, [hmac, ...others]);
  if (key === undefined) return { kind: "unknown" };
  if (key.isRevoked) return { kind: "revoked" };
  if (key.isExpired) return { kind: "expired" };
  if (key.isSuspended) return { kind: "suspended" };
  // Once per key after a change of pepper: the key itself is at hand only now.
  if (key.pepperId !== peppers.current.id) await repepperApiKey(db, key, peppers.current.id, hmac);
  return { kind: "valid", key };
}
