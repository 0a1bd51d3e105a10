import { isUtf8 } from "node:buffer";
import { AppError } from "../../errors.ts";

/** Only these escapes can bring a NUL, a lone surrogate or a prototype key into the value, so only they cost a walk. */
const suspicious = /\\u0000|\\u[dD][89a-fA-F]|__proto__|\\u005[fF]/;
const maxDepth = 32;
/** Many times what any request has. Each takes a byte at least, so a short body need not be counted. */
const maxParts = 10_000;

/** A body is UTF-8 JSON whose every string PostgreSQL can store. An empty one is absent: clients announce JSON always. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw invalidBody("is not valid UTF-8", "not_utf8");
  if (bytes.length > maxParts && hasTooManyParts(bytes)) throw invalidBody("has too many values", "too_many_values");
  const text = bytes.toString("utf8");
  const value = parseText(text);
  if (suspicious.test(text)) requireStorable(value, 0);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidBody("is not valid JSON", "not_json");
  }
}

/**
 * Millions of values in a body take seconds to parse and hundreds of megabytes, for everyone in this process; counting what
 * separates them takes milliseconds. Long texts are skipped from quote to quote.
 */
function hasTooManyParts(bytes: Buffer): boolean {
  let parts = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at + 1);
    else if (byte === comma || byte === openBrace || byte === openBracket) parts += 1;
    if (parts > maxParts) return true;
  }
  return false;
}

const [quote, backslash, comma, openBrace, openBracket] = [0x22, 0x5c, 0x2c, 0x7b, 0x5b];

/** The position of the quote that ends it; one with an odd number of backslashes before it does not. */
function endOfText(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(quote, start); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (before >= start && bytes[before] === backslash) before--;
    if ((end - 1 - before) % 2 === 0) return end;
  }
  return bytes.length;
}

/** Bounded in depth: nothing published nests deeper than a few levels, and endless nesting would end the stack. */
function requireStorable(value: unknown, depth: number): void {
  if (depth > maxDepth) throw invalidBody("is nested too deeply", "too_deep");
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) {
    throw invalidBody("contains a NUL or half of a surrogate pair, which cannot be stored", "not_storable");
  }
  if (Array.isArray(value)) {
    for (const part of value) requireStorable(part, depth + 1);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const key in value) {
    if (key === "__proto__") throw invalidBody('has a field "__proto__", which is not a known field', "unknown_field");
    requireStorable(key, depth + 1);
    requireStorable((value as Record<string, unknown>)[key], depth + 1);
  }
}

function invalidBody(problem: string, code: string): AppError {
  return new AppError("VALIDATION_ERROR", `The body ${problem}.`, {
    details: [{ field: "body", code, message: problem }],
  });
}
