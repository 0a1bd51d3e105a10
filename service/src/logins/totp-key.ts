import type { Queryable } from "../db/database.ts";
import type { Secret, SecretPair } from "../secret.ts";
import { openSealedKey } from "../storage/sealed-key.ts";

/** The key that seals TOTP secrets. The first call reads it from the database; a process calls it at start. */
export type OpenTotpKey = (db: Queryable) => Promise<Secret>;

export function createTotpKey(contentKeys: SecretPair): OpenTotpKey {
  let opened: Secret | undefined;
  return async (db) => {
    opened ??= { id: "totp", key: await openSealedKey(db, contentKeys, "totp") };
    return opened;
  };
}
