import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { openBytes, sealBytes, sealingKeyId } from "../crypto/sealed-bytes.ts";
import type { Queryable } from "../db/database.ts";
import { ConfigurationError } from "../errors.ts";
import type { SecretPair } from "../secret.ts";

/** `fingerprint`: of idempotency keys; `totp`: seals the TOTP secrets of users. */
type SealedKeyName = "fingerprint" | "totp";

/**
 * A data key that outlives the content keys. It is generated once and stored sealed with the content key. When the operator rotates the
 * content key, only the seal is renewed: every API process opens all data keys at start.
 */
export async function openSealedKey(db: Queryable, contentKeys: SecretPair, name: SealedKeyName): Promise<KeyObject> {
  const binding = { purpose: "sealed key", owner: name };
  const made = sealBytes(contentKeys.current, binding, randomBytes(32));
  const sealed = await findOrInsert(db, name, made);
  const bytes = openOrExplain(contentKeys, binding, sealed);
  if (sealingKeyId(sealed) !== contentKeys.current.id) {
    await reseal(db, name, sealed, sealBytes(contentKeys.current, binding, bytes));
  }
  return createSecretKey(bytes);
}

function openOrExplain(contentKeys: SecretPair, binding: Parameters<typeof openBytes>[1], sealed: Buffer): Buffer {
  try {
    return openBytes(contentKeys, binding, sealed);
  } catch (cause) {
    throw new ConfigurationError(
      `The database was used with the content key "${sealingKeyId(sealed)}". Set it as CONTENT_KEY or ` +
        "CONTENT_KEY_SECOND; docs/secrets.md explains the rotation.",
      { cause },
    );
  }
}

async function findOrInsert(db: Queryable, name: SealedKeyName, sealed: Buffer): Promise<Buffer> {
  const [row] = await db.query<{ sealed: Buffer }>({
    name: "find-or-insert-sealed-key",
    text: `
      with made as (
        insert into sealed_keys (name, sealed)
        values ($1, $2)
        on conflict (name) do nothing
        returning sealed
      )
      select sealed from made
      union all
      select sealed from sealed_keys where name = $1`,
    values: [name, sealed],
  });
  // Another process inserted it at the same moment: its row is newer than our snapshot.
  return row?.sealed ?? findOrInsert(db, name, sealed);
}

async function reseal(db: Queryable, name: SealedKeyName, before: Buffer, after: Buffer): Promise<void> {
  await db.query({
    name: "reseal-key",
    text: `
      update sealed_keys
      set sealed = $3
      where name = $1
        and sealed = $2`,
    values: [name, before, after],
  });
}
