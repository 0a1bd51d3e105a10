import { hash, type KeyObject } from "node:crypto";
import { type GivenPayload, type Mode, type PayloadField, payloadFields } from "../sends/send-request.ts";

const bytesPerField = 8;

/**
 * Eight keyed bytes for each field, so that two payloads can be compared field by field and the stored bytes tell nobody
 * what was in them. Order and case count; a list that is absent and one that is empty are the same.
 */
export function fingerprintOf(key: KeyObject, payload: GivenPayload): Buffer {
  const fingerprint = Buffer.alloc(payloadFields.length * bytesPerField);
  for (const [position, field] of payloadFields.entries()) {
    const value = payload[field];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    // JSON keeps ["a,b"] and ["a","b"] apart; the name keeps a text from having the bytes of the same html.
    const text = typeof value === "string" ? value : JSON.stringify(value);
    fingerprint.write(keyedHash(key, `${field}:${text}`, bytesPerField), position * bytesPerField, "hex");
  }
  return fingerprint;
}

export function differingFields(one: Buffer, other: Buffer): PayloadField[] {
  return payloadFields.filter((_field, position) => !partOf(one, position).equals(partOf(other, position)));
}

/** One that was made before a field existed is shorter: the field was absent then. */
function partOf(fingerprint: Buffer, position: number): Buffer {
  const part = Buffer.alloc(bytesPerField);
  fingerprint.copy(part, 0, position * bytesPerField);
  return part;
}

/** Sixteen keyed bytes, different for every account and mode: the keys of customers are not readable in the database. */
export function idempotencyHash(key: KeyObject, accountId: string, mode: Mode, idempotencyKey: string): Buffer {
  return Buffer.from(keyedHash(key, `${accountId}/${mode}/${idempotencyKey}`, 16), "hex");
}

const keyTexts = new WeakMap<KeyObject, string>();

/**
 * In hexadecimal digits. SHA-256 of the secret and the text, cut short: what is cut off is what one would need to go on from
 * it, so nothing can be made of it without the key. An HMAC of a short text takes 4.3 microseconds, this 0.5, and a send
 * needs six.
 */
function keyedHash(key: KeyObject, text: string, bytes: number): string {
  const known = keyTexts.get(key) ?? key.export().toString("base64url");
  keyTexts.set(key, known);
  return hash("sha256", `${known}:${text}`, "hex").slice(0, bytes * 2);
}
