import type { KeyObject } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";
import { openSealedKey } from "../storage/sealed-key.ts";

/** Idempotency keys never expire, so the key of their fingerprints never changes. */
export function openFingerprintKey(db: Queryable, contentKeys: SecretPair): Promise<KeyObject> {
  return openSealedKey(db, contentKeys, "fingerprint");
}
