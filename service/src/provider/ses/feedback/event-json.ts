export type Json = Record<string, unknown>;

/** The text is not a valid event. The message names the invalid part and repeats none of its content. */
export class InvalidEvent extends Error {
  override readonly name = "InvalidEvent";
}

const maxLineCharacters = 1_000;

export function parseObject(text: string): Json {
  try {
    return objectIn({ text: JSON.parse(text) }, "text");
  } catch {
    throw new InvalidEvent("not a JSON object");
  }
}

export function objectIn(from: Json, name: string): Json {
  const value = from[name];
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new InvalidEvent(`${name} is not an object`);
  // Reading any member of an object is safe; the caller checks the type of the value.
  return value as Json;
}

export function arrayIn(from: Json, name: string): unknown[] {
  const value = from[name];
  if (!Array.isArray(value)) throw new InvalidEvent(`${name} is not a list`);
  return value;
}

/** Events contain text of foreign mail servers, and PostgreSQL stores neither NUL nor a lone surrogate. */
export function lineIn(from: Json, name: string): string {
  const value = from[name];
  if (typeof value !== "string" || value.length > maxLineCharacters)
    throw new InvalidEvent(`${name} is not a line of text`);
  const line = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, "\uFFFD")
    .trim();
  if (line === "") throw new InvalidEvent(`${name} is empty`);
  return line;
}

export function optionalLineIn(from: Json, name: string): string | undefined {
  const value = from[name];
  if (value === undefined || value === null || value === "") return undefined;
  return lineIn({ [name]: typeof value === "string" ? value.slice(0, maxLineCharacters) : value }, name);
}

/** Text of a foreign mail server, for people: on one line, and without characters that reorder what they read. */
export function foreignTextIn(from: Json, name: string): string | undefined {
  const value = from[name];
  if (typeof value !== "string") return undefined;
  const text = value
    .slice(0, maxLineCharacters)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\p{Bidi_Control}/gu, "")
    .trim();
  return text === "" ? undefined : text;
}

export function optionalTimeIn(from: Json, name: string): string | undefined {
  return from[name] === undefined || from[name] === null ? undefined : timeIn(from, name);
}

export function timeIn(from: Json, name: string): string {
  const text = lineIn(from, name);
  const isTime = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const milliseconds = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new InvalidEvent(`${name} is not a time`);
  return new Date(milliseconds).toISOString();
}
