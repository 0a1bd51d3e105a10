import { badRequest } from "./ses-error.ts";

export type Json = Record<string, unknown>;

/**
 * These functions read request fields with the types of the API model. Like SES, they ignore unknown members, treat
 * null as absent, and refuse a value of the wrong type.
 */
export function readString(from: Json, field: string): string | undefined {
  const value = from[field] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw wrongType(field, "a string");
}

export function requireString(from: Json, field: string): string {
  const value = readString(from, field);
  if (value === undefined || value === "") throw badRequest(`1 validation error detected: ${field} must not be empty`);
  return value;
}

export function readBoolean(from: Json, field: string): boolean | undefined {
  const value = from[field] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongType(field, "a boolean");
}

export function readNumber(from: Json, field: string): number | undefined {
  const value = from[field] ?? undefined;
  if (value === undefined || typeof value === "number") return value;
  throw wrongType(field, "a number");
}

export function readObject(from: Json, field: string): Json | undefined {
  const value = from[field] ?? undefined;
  if (value === undefined || isObject(value)) return value;
  throw wrongType(field, "an object");
}

export function readStrings(from: Json, field: string): string[] {
  return readList(from, field).map((item) => {
    if (typeof item === "string") return item;
    throw wrongType(field, "a list of strings");
  });
}

export function readObjects(from: Json, field: string): Json[] {
  return readList(from, field).map((item) => {
    if (isObject(item)) return item;
    throw wrongType(field, "a list of objects");
  });
}

export function readOneOf<Value extends string>(from: Json, field: string, allowed: readonly Value[]) {
  const value = readString(from, field);
  const known = allowed.find((candidate) => candidate === value);
  if (value !== undefined && known === undefined) {
    throw badRequest(`Value '${value}' at '${field}' failed to satisfy constraint: one of ${allowed.join(", ")}`);
  }
  return known;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readList(from: Json, field: string): unknown[] {
  const value = from[field] ?? [];
  if (Array.isArray(value)) return value;
  throw wrongType(field, "a list");
}

function wrongType(field: string, expected: string) {
  return badRequest(`${field} must be ${expected}`);
}
