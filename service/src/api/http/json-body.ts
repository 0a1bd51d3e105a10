import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { AppError, type FieldProblem } from "../../errors.ts";

/** Only these sequences can produce a NUL, a lone surrogate or a `__proto__` key; only a body with one is traversed. */
const suspicious = /\\u0000|\\u[dD][89a-fA-F]|__proto__|\\u005[fF]/;
const maxDepth = 32;
/** Far more values than any valid request has. Each value takes at least one byte, so shorter bodies are not counted. */
const maxValuesOfRequest = 10_000;

const utf8Names = ["utf-8", "utf8", "us-ascii"];

/** Throws 415 unless the headers declare JSON in UTF-8 without compression. */
export function requireJsonMedia(headers: IncomingHttpHeaders): void {
  const type = headers["content-type"] ?? "";
  if (!/^application\/json *(;|$)/i.test(type)) throw new AppError("UNSUPPORTED_MEDIA_TYPE", sendJson);
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]?.toLowerCase() ?? "utf-8";
  if (!utf8Names.includes(charset)) {
    const message =
      "The Content-Type declares a charset other than UTF-8. Send the body in UTF-8 with the header Content-Type: application/json.";
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
  }
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity" && encoding !== "") {
    const message =
      "The Content-Encoding header declares a compressed body, such as gzip. Send the body uncompressed, without this header.";
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
  }
}

export const sendJson = "Send the body as JSON with the header Content-Type: application/json.";

/**
 * Accepts UTF-8 JSON in which PostgreSQL can store every string. An empty body counts as no body, because many clients set
 * the JSON content type on every request.
 */
export function parseJsonBody(bytes: Buffer, maxValues = maxValuesOfRequest): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw invalidBody("is not valid UTF-8", "not_utf8");
  if (bytes.length > maxValues && hasTooManyValues(bytes, maxValues))
    throw invalidBody("has too many values", "too_many_values");
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
 * Parsing millions of values takes seconds and hundreds of megabytes and blocks all other requests. Counting the separators
 * takes milliseconds. The content of strings does not count.
 */
function hasTooManyValues(bytes: Buffer, maxValues: number): boolean {
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at + 1);
    else if (byte === comma || byte === openBrace || byte === openBracket) values += 1;
    if (values > maxValues) return true;
  }
  return false;
}

const [quote, backslash, comma, openBrace, openBracket] = [0x22, 0x5c, 0x2c, 0x7b, 0x5b];

/** Returns the position of the closing quote. A quote after an odd number of backslashes is escaped. */
function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(quote, start); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (before >= start && bytes[before] === backslash) before--;
    if ((end - 1 - before) % 2 === 0) return end;
  }
  return bytes.length;
}

/** Limits the depth, because unlimited nesting would overflow the stack. No published body nests more than a few levels. */
function requireStorable(value: unknown, depth: number): void {
  if (depth > maxDepth) throw invalidBody("is nested too deeply", "too_deep");
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) {
    throw invalidBody("contains a NUL or a lone surrogate, which cannot be stored; remove it", "not_storable");
  }
  if (Array.isArray(value)) {
    for (const element of value) requireStorable(element, depth + 1);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const key in value) {
    if (key === "__proto__") throw invalidBody('has a field "__proto__", which is not a known field', "unknown_field");
    requireStorable(key, depth + 1);
    requireStorable((value as Record<string, unknown>)[key], depth + 1);
  }
}

function invalidBody(problem: string, code: FieldProblem["code"]): AppError {
  return new AppError("VALIDATION_ERROR", `The body ${problem}.`, {
    details: [{ field: "body", code, message: problem }],
  });
}
