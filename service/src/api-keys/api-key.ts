import { createHmac, type KeyObject, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export type KeyType = "live" | "test";

/**
 * `postern_<type>_`, then 51 characters of the base64url alphabet: cell code (2), 32 random bytes (43), and a CRC-32 of
 * everything before it (6). The checksum detects every single-character typo without a database query.
 */
const keyForm = /^postern_(live|test)_([A-Za-z0-9_-]{45})([A-Za-z0-9_-]{6})$/;
const prefixLength = "postern_live_".length + 6;

export function generateApiKey(type: KeyType, cellCode: string): { key: string; keyPrefix: string } {
  const body = `postern_${type}_${cellCode}${randomBytes(32).toString("base64url")}`;
  const key = body + checksum(body);
  return { key, keyPrefix: `${key.slice(0, prefixLength)}...` };
}

/** Whether the text is a complete key without a typo. Does not check that the key exists. */
export function isIntactApiKey(text: string): boolean {
  const [, , , given] = keyForm.exec(text) ?? [];
  return given !== undefined && given === checksum(text.slice(0, -6));
}

/** The database stores this hash, not the key, and does not contain the pepper that is needed to verify it. */
export function apiKeyHmac(pepper: KeyObject, key: string): Buffer {
  return createHmac("sha256", pepper).update(key).digest();
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString("base64url");
}
