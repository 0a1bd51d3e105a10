import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from "node:crypto";
import type { Secret, SecretPair } from "../secret.ts";

interface Binding {
  /** Each purpose has its own subkey of the secret. */
  purpose: string;
  /** The record that the bytes belong to. Bytes copied to another record cannot be opened. */
  owner: string;
}

/** The first byte. The second format is sealed in the same way and has content that releases before it cannot read. */
type Format = 1 | 2;
const formats: readonly (number | undefined)[] = [1, 2] satisfies Format[];
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. Format: format, key id (length and text), IV, tag, ciphertext. The tag also authenticates format, key id and binding. */
export function sealBytes(secret: Secret, binding: Binding, plain: Buffer, format: Format = 1): Buffer {
  const head = Buffer.from([format, secret.id.length, ...Buffer.from(secret.id, "latin1")]);
  const iv = nextIv();
  const cipher = createCipheriv("aes-256-gcm", contentSubkey(secret, binding.purpose), iv);
  cipher.setAAD(associatedData(head, binding));
  const content = cipher.update(plain);
  cipher.final();
  return Buffer.concat([head, iv, cipher.getAuthTag(), content]);
}

/** Throws when the key is not configured, or when any bit of the bytes or the binding differs. */
export function openBytes(secrets: SecretPair, binding: Binding, sealed: Buffer): Buffer {
  if (!formats.includes(sealed[0]))
    throw new Error(`sealed bytes of format ${sealed[0]} cannot be read by this release`);
  const keyId = sealingKeyId(sealed);
  const secret = [secrets.current, secrets.second].find((candidate) => candidate?.id === keyId);
  if (secret === undefined)
    throw new Error(`bytes are sealed with the content key "${keyId}", which is not configured`);
  const headEnds = 2 + keyId.length;
  const tagBegins = headEnds + ivBytes;
  const contentBegins = tagBegins + tagBytes;
  const iv = sealed.subarray(headEnds, tagBegins);
  const key = contentSubkey(secret, binding.purpose);
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  decipher.setAAD(associatedData(sealed.subarray(0, headEnds), binding));
  decipher.setAuthTag(sealed.subarray(tagBegins, contentBegins));
  return Buffer.concat([decipher.update(sealed.subarray(contentBegins)), decipher.final()]);
}

export function sealingKeyId(sealed: Buffer): string {
  return sealed.toString("latin1", 2, 2 + (sealed[1] ?? 0));
}

function associatedData(head: Buffer, { purpose, owner }: Binding): Buffer {
  return Buffer.concat([head, Buffer.from(`${purpose}/${owner}`, "latin1")]);
}

const maxCached = 256;
const subkeyCache = new WeakMap<KeyObject, Map<string, KeyObject>>();

/**
 * A subkey of CONTENT_KEY for one purpose: HMAC-SHA256 of the purpose. One HMAC is enough, because the secret is 32 random
 * bytes. Stored contents depend on this derivation; `token-subkey.ts` derives the subkeys of TOKEN_SIGNING_KEY with HKDF.
 * Cached, because deriving a subkey takes as long as sealing.
 */
function contentSubkey({ key }: Secret, purpose: string): KeyObject {
  const cached = subkeyCache.get(key) ?? new Map<string, KeyObject>();
  subkeyCache.set(key, cached);
  const known = cached.get(purpose);
  if (known !== undefined) return known;
  if (cached.size >= maxCached) cached.clear();
  const subkey = createSecretKey(createHmac("sha256", key).update(`postern ${purpose}`).digest());
  cached.set(purpose, subkey);
  return subkey;
}

/** Random bytes for 512 IVs per system call: 0.1 instead of 2.4 microseconds per IV. No part of the pool is used twice. */
const pool = Buffer.alloc(ivBytes * 512);
let used = pool.length;

function nextIv(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ivBytes;
  return Buffer.from(pool.subarray(used - ivBytes, used));
}
