export type CsvValue = string | number | boolean | readonly string[] | null | undefined;

/** A spreadsheet runs a cell that starts with one of these as a formula, and a subject is chosen by strangers. */
const formulaStart = /^[=+\-@\t\r]/;

/** RFC 4180, ending in CRLF. An apostrophe keeps text from being a formula; the import of suppressions removes it. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(toCell).join(",")}\r\n`;
}

function toCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : value.join(", ");
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
