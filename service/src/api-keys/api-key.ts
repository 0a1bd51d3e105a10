import { createHmac, type KeyObject, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export type KeyType = "live" | "test";

/**
 * `postern_<type>_` then 51 characters of base64url alphabet: cell code (2), 32 random bytes (43), and a CRC-32 of all
 * that precedes (6). The checksum finds every single-character typo, so a mistyped key costs no database query.
 */
const keyForm = /^postern_(live|test)_([A-Za-z0-9_-]{45})([A-Za-z0-9_-]{6})$/;
const prefixLength = "postern_live_".length + 6;

export function generateApiKey(type: KeyType, cellCode: string): { key: string; keyPrefix: string } {
  const body = `postern_${type}_${cellCode}${randomBytes(32).toString("base64url")}`;
  const key = body + checksum(body);
  return { key, keyPrefix: `${key.slice(0, prefixLength)}...` };
}

/** Whether the text is a whole key without a typo; says nothing about whether the key exists. */
export function isIntactApiKey(text: string): boolean {
  const [, , , given] = keyForm.exec(text) ?? [];
  return given !== undefined && given === checksum(text.slice(0, -6));
}

/** What is stored instead of the key: useless without the pepper, which the database does not know. */
export function apiKeyHmac(pepper: KeyObject, key: string): Buffer {
  return createHmac("sha256", pepper).update(key).digest();
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString("base64url");
}
