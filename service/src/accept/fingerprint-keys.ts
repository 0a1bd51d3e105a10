import { hash, type KeyObject } from "node:crypto";
import { createAdmission } from "../db/admission.ts";
import { uuidArray } from "../db/array-param.ts";
import { createBatch } from "../db/batch.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { SecretPair } from "../secret.ts";
import { openSealedKey, readSealedKey, resealKeysOfOtherCells, storeSealedKey } from "../storage/sealed-key.ts";

/** The keys of fingerprints and idempotency hashes. Idempotency keys never expire, so the key of an account never changes. */
export interface FingerprintKeys {
  /** At once when the account is known. Otherwise it rejects with 503 when the key of the account cannot be read. */
  of(accountId: string): KeyObject | Promise<KeyObject>;
}

const maxKnownAccounts = 50_000;
const maxItems = 500;

/**
 * An account keeps the key of the cell where it was created, wherever it moves: another key would not find its idempotency keys, and a
 * repeated request would send a second mail. `accounts.fingerprint_key` names the key of an account from another cell.
 */
export async function openFingerprintKeys(db: Queryable, contentKeys: SecretPair): Promise<FingerprintKeys> {
  const ownKey = await openSealedKey(db, contentKeys, "fingerprint");
  await resealKeysOfOtherCells(db, contentKeys);
  const known = new Map<string, KeyObject>();
  const asked = new Map<string, Promise<KeyObject>>();
  const read = createBatch({
    run: (accountIds: string[]) => findKeyRows(db, accountIds),
    maxItems,
    maxBytes: 1024 * 1024,
    sizeOf: (accountId) => accountId.length,
    admission: createAdmission({ maxRoundTrips: 1, minInProgress: 2 * maxItems }),
  });

  async function learn(accountId: string): Promise<KeyObject> {
    try {
      const row = await read(accountId);
      // An account that comes from another cell is suspended while it comes, so the accept statement refuses this request.
      if (row === undefined) return ownKey;
      const key = row.name === null ? ownKey : openKey(contentKeys, row);
      if (known.size >= maxKnownAccounts) known.clear();
      known.set(accountId, key);
      return key;
    } finally {
      asked.delete(accountId);
    }
  }

  return {
    of(accountId) {
      const key = known.get(accountId) ?? asked.get(accountId);
      if (key !== undefined) return key;
      const answer = learn(accountId);
      asked.set(accountId, answer);
      return answer;
    },
  };
}

/** The key with which the account moves to another cell. */
export async function getFingerprintKey(db: Queryable, contentKeys: SecretPair, accountId: string): Promise<KeyObject> {
  const [row] = await findKeyRows(db, [accountId]);
  if (row === undefined) throw new AppError("NOT_FOUND", "There is no account with this id.");
  return row.name === null ? openSealedKey(db, contentKeys, "fingerprint") : openKey(contentKeys, row);
}

/**
 * Stores the key of an account that comes from another cell, and returns its name for `accounts.fingerprint_key`: null when it is the key of
 * this cell, to which the account returns. The name must be written in the commit that inserts the account.
 */
export async function adoptFingerprintKey(
  db: Queryable,
  contentKeys: SecretPair,
  key: KeyObject,
): Promise<string | null> {
  if (key.equals(await openSealedKey(db, contentKeys, "fingerprint"))) return null;
  const name = `fingerprint/${hash("sha256", key.export(), "hex").slice(0, 8)}` as const;
  await storeSealedKey(db, contentKeys, name, key);
  return name;
}

interface KeyRow {
  /** Null: the key of this cell. */
  name: string | null;
  sealed: Buffer | null;
}

async function findKeyRows(db: Queryable, accountIds: string[]): Promise<(KeyRow | undefined)[]> {
  const rows = await db.query<KeyRow & { accountId: string }>({
    name: "find-fingerprint-keys",
    text: `
      select a.id as "accountId", a.fingerprint_key as name, k.sealed
      from accounts a
      left join sealed_keys k on k.name = a.fingerprint_key
      where a.id = any ($1::uuid[])`,
    values: [uuidArray(accountIds)],
  });
  const found = new Map(rows.map((row) => [row.accountId, row]));
  return accountIds.map((accountId) => found.get(accountId));
}

function openKey(contentKeys: SecretPair, { name, sealed }: KeyRow): KeyObject {
  try {
    if (sealed === null) throw new Error(`sealed_keys has no row ${name}`);
    return readSealedKey(contentKeys, name ?? "", sealed);
  } catch (cause) {
    throw new AppError(
      "UNAVAILABLE",
      "The key for the idempotency keys of this account cannot be read. Report the request_id to the operator of this installation.",
      { retryAfterSeconds: 10, cause },
    );
  }
}
