import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { openBytes, sealBytes, sealingKeyId } from "../crypto/sealed-bytes.ts";
import type { Queryable } from "../db/database.ts";
import { ConfigurationError } from "../errors.ts";
import type { SecretPair } from "../secret.ts";

/**
 * `fingerprint`: of idempotency keys; `fingerprint/<8 hex>`: of accounts that came from another cell; `totp`: seals the TOTP secrets of
 * users.
 */
type SealedKeyName = "fingerprint" | `fingerprint/${string}` | "totp";

/**
 * A data key that outlives the content keys. It is generated once and stored sealed with the content key. When the operator rotates the
 * content key, only the seal is renewed: every API process opens all data keys at start.
 */
export async function openSealedKey(db: Queryable, contentKeys: SecretPair, name: SealedKeyName): Promise<KeyObject> {
  const made = sealBytes(contentKeys.current, bindingOf(name), randomBytes(32));
  const sealed = await findOrInsert(db, name, made);
  const bytes = openOrExplain(contentKeys, name, sealed);
  await renewSeal(db, contentKeys, { name, sealed, bytes });
  return createSecretKey(bytes);
}

/** Stores a key that another cell generated. Throws when another key has its name. */
export async function storeSealedKey(
  db: Queryable,
  contentKeys: SecretPair,
  name: SealedKeyName,
  key: KeyObject,
): Promise<void> {
  const sealed = await findOrInsert(db, name, sealBytes(contentKeys.current, bindingOf(name), key.export()));
  if (!createSecretKey(openOrExplain(contentKeys, name, sealed)).equals(key)) {
    throw new Error(`another key is stored as ${name}`);
  }
}

/** Throws when the content key with which it was sealed is not configured. */
export function readSealedKey(contentKeys: SecretPair, name: string, sealed: Buffer): KeyObject {
  return createSecretKey(openOrExplain(contentKeys, name, sealed));
}

/** Seals the keys of other cells with the current content key. Leaves out those that cannot be opened: each has an account that needs it. */
export async function resealKeysOfOtherCells(db: Queryable, contentKeys: SecretPair): Promise<void> {
  const keys = await db.query<{ name: string; sealed: Buffer }>({
    name: "list-keys-of-other-cells",
    text: `
      select name, sealed
      from sealed_keys
      where name like 'fingerprint/%'
      order by name`,
  });
  for (const { name, sealed } of keys) {
    const bytes = openIfPossible(contentKeys, name, sealed);
    if (bytes !== undefined) await renewSeal(db, contentKeys, { name, sealed, bytes });
  }
}

function bindingOf(name: string) {
  return { purpose: "sealed key", owner: name };
}

function openIfPossible(contentKeys: SecretPair, name: string, sealed: Buffer): Buffer | undefined {
  try {
    return openBytes(contentKeys, bindingOf(name), sealed);
  } catch {
    return undefined;
  }
}

async function renewSeal(
  db: Queryable,
  contentKeys: SecretPair,
  { name, sealed, bytes }: { name: string; sealed: Buffer; bytes: Buffer },
): Promise<void> {
  if (sealingKeyId(sealed) === contentKeys.current.id) return;
  await reseal(db, name, sealed, sealBytes(contentKeys.current, bindingOf(name), bytes));
}

function openOrExplain(contentKeys: SecretPair, name: string, sealed: Buffer): Buffer {
  try {
    return openBytes(contentKeys, bindingOf(name), sealed);
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

async function reseal(db: Queryable, name: string, before: Buffer, after: Buffer): Promise<void> {
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
