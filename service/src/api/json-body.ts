import { isUtf8 } from "node:buffer";
import { AppError } from "../errors.ts";

/** Only these escapes can bring a NUL, a lone surrogate or a prototype key into the value, so only they cost a walk. */
const suspicious = /\\u0000|\\u[dD][89a-fA-F]|__proto__|\\u005[fF]/;
const maxDepth = 32;

/** A body is UTF-8 JSON whose every string PostgreSQL can store. An empty one is absent: clients announce JSON always. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw invalidBody("is not valid UTF-8", "not_utf8");
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

/** Bounded in depth: nothing published nests deeper than a few levels, and endless nesting would end the stack. */
function requireStorable(value: unknown, depth: number): void {
  if (depth > maxDepth) throw invalidBody("is nested too deeply", "too_deep");
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) {
    throw invalidBody("contains a NUL or half of a surrogate pair, which cannot be stored", "not_storable");
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === "__proto__") throw invalidBody('has a field "__proto__", which is not a known field', "unknown_field");
    requireStorable(key, depth + 1);
    requireStorable(part, depth + 1);
  }
}

function invalidBody(problem: string, code: string): AppError {
  return new AppError("VALIDATION_ERROR", `The body ${problem}.`, {
    details: [{ field: "body", code, message: problem }],
  });
}
