export type Json = Record<string, unknown>;

/** Something in the text is not as its sender promises; the message names it and repeats none of its content. */
export class BrokenEvent extends Error {
  override readonly name = "BrokenEvent";
}

const maxLineCharacters = 1_000;

export function parseObject(text: string): Json {
  try {
    return objectIn({ text: JSON.parse(text) }, "text");
  } catch {
    throw new BrokenEvent("it is no JSON object");
  }
}

export function objectIn(from: Json, name: string): Json {
  const value = from[name];
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BrokenEvent(`${name} is no object`);
  // Any object can be asked for a member; what it holds is checked where it is used.
  return value as Json;
}

export function arrayIn(from: Json, name: string): unknown[] {
  const value = from[name];
  if (!Array.isArray(value)) throw new BrokenEvent(`${name} is no list`);
  return value;
}

/** Much of an event was written by strangers' mail servers, and PostgreSQL stores neither NUL nor half a character. */
export function lineIn(from: Json, name: string): string {
  const value = from[name];
  if (typeof value !== "string" || value.length > maxLineCharacters)
    throw new BrokenEvent(`${name} is no line of text`);
  const line = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, "\uFFFD")
    .trim();
  if (line === "") throw new BrokenEvent(`${name} is empty`);
  return line;
}

export function optionalLineIn(from: Json, name: string): string | undefined {
  const value = from[name];
  if (value === undefined || value === null || value === "") return undefined;
  return lineIn({ [name]: typeof value === "string" ? value.slice(0, maxLineCharacters) : value }, name);
}

export function timeIn(from: Json, name: string): string {
  const text = lineIn(from, name);
  const isTime = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const milliseconds = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new BrokenEvent(`${name} is no time`);
  return new Date(milliseconds).toISOString();
}
