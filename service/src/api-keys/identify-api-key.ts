import type { Queryable } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";
import { apiKeyHmac, isIntactApiKey } from "./api-key.ts";
import { findKeyByHmacs, repepperSecret, type StoredKey } from "./secret-store.ts";

export type KeyVerdict =
  | { kind: "valid"; key: StoredKey }
  | { kind: "revoked" | "expired" | "replaced" | "suspended"; key: StoredKey }
  | { kind: "typo" | "unknown" };

/** Finds the account of a key, or the reason to refuse it. Only a caller with the full secret learns more than "unknown". */
export async function identifyApiKey(
  db: Queryable,
  peppers: SecretPair,
  text: string,
  findKey = (hmacs: Buffer[]) => findKeyByHmacs(db, hmacs),
): Promise<KeyVerdict> {
  if (!isIntactApiKey(text)) return { kind: "typo" };
  const hmac = apiKeyHmac(peppers.current.key, text);
  const others = peppers.second === undefined ? [] : [apiKeyHmac(peppers.second.key, text)];
  const key = await findKey([hmac, ...others]);
  if (key === undefined) return { kind: "unknown" };
  if (key.refusal !== null) return { kind: key.refusal, key };
  // Happens once per secret after a rotation, because only a request carries the secret itself.
  if (key.pepperId !== peppers.current.id) await repepperSecret(db, key, peppers.current.id, hmac);
  return { kind: "valid", key };
}
