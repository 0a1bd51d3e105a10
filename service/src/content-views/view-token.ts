import { hash, randomBytes } from "node:crypto";

/** The cell code (2 characters), then base64url of 256 random bits, so that guessing needs no throttle. */
export function makeViewToken(cellCode: string): { text: string; hash: Buffer } {
  const text = cellCode + randomBytes(32).toString("base64url");
  return { text, hash: hashOf(text) };
}

/** The hash under which the database stores the token; undefined for a text that this cell never issued. */
export function findViewHash(cellCode: string, text: string): Buffer | undefined {
  return text.startsWith(cellCode) && /^[A-Za-z0-9_-]{45}$/.test(text) ? hashOf(text) : undefined;
}

function hashOf(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
