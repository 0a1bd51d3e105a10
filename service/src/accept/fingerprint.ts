import { hash, type KeyObject } from "node:crypto";
import type { Mode } from "../mode.ts";
import { type GivenPayload, type PayloadField, payloadFields } from "../sends/send-request.ts";

const bytesPerField = 8;

/** A fingerprint is no shorter than in the first release, and no longer than the last field that is present. */
const firstFields = 8;

/**
 * Eight keyed bytes for each field: two payloads can be compared field by field, and the stored bytes reveal nothing about them.
 * Order and case matter. An absent list equals an empty one.
 */
export function fingerprintOf(key: KeyObject, payload: GivenPayload): Buffer {
  const fingerprint = Buffer.alloc(payloadFields.length * bytesPerField);
  let fields = firstFields;
  for (const [position, field] of payloadFields.entries()) {
    const value = payload[field];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    // JSON distinguishes ["a,b"] from ["a","b"]; the field name distinguishes a text from the same html.
    const text = typeof value === "string" ? value : JSON.stringify(value);
    fingerprint.write(keyedHash(key, `${field}:${text}`), position * bytesPerField, bytesPerField, "latin1");
    fields = Math.max(fields, position + 1);
  }
  return fingerprint.subarray(0, fields * bytesPerField);
}

/** Eight keyed bytes for the whole payload. */
export function payloadHashOf(key: KeyObject, fingerprint: Buffer): Buffer {
  return Buffer.from(keyedHash(key, `payload:${fingerprint.toString("hex")}`).slice(0, bytesPerField), "latin1");
}

/** How the payload of the first request is known: by field, or as a whole for a send without an idempotency key of its own. */
export type OriginalPayload = { fingerprint: Buffer } | { payloadHash: Buffer };

export type DifferingFields = PayloadField[] | "unknown";

/** Returns undefined when the payloads are the same. */
export function compareWithOriginal(
  original: OriginalPayload,
  ours: { fingerprint: Buffer; payloadHash: Buffer | undefined },
): DifferingFields | undefined {
  if ("payloadHash" in original) return ours.payloadHash?.equals(original.payloadHash) ? undefined : "unknown";
  const fields = differingFields(original.fingerprint, ours.fingerprint);
  return fields.length === 0 ? undefined : fields;
}

export function differingFields(one: Buffer, other: Buffer): PayloadField[] {
  return payloadFields.filter((_field, position) => !partOf(one, position).equals(partOf(other, position)));
}

/** A fingerprint from before a field existed is shorter: the field was absent then. */
function partOf(fingerprint: Buffer, position: number): Buffer {
  const part = Buffer.alloc(bytesPerField);
  part.set(fingerprint.subarray(position * bytesPerField, (position + 1) * bytesPerField));
  return part;
}

/** Sixteen keyed bytes, different for every account and mode. The database does not reveal the keys of customers. */
export function idempotencyHash(key: KeyObject, accountId: string, mode: Mode, idempotencyKey: string): Buffer {
  return Buffer.from(keyedHash(key, `${accountId}/${mode}/${idempotencyKey}`).slice(0, 16), "latin1");
}

const keyTexts = new WeakMap<KeyObject, string>();

/**
 * SHA-256 of the secret and the text, a character for each byte. Callers truncate it, which prevents length extension, so nothing can be
 * derived without the key. An HMAC of a short text takes 4.3 microseconds, this takes 0.5, and a send needs one for each field and one for its
 * idempotency key. A Buffer as the result would take 1.2.
 */
function keyedHash(key: KeyObject, text: string): string {
  const known = keyTexts.get(key) ?? key.export().toString("base64url");
  keyTexts.set(key, known);
  return hash("sha256", `${known}:${text}`, "binary");
}
