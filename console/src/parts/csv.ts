export type CsvValue = string | number | null | undefined;

// A spreadsheet runs a cell that starts with one of these as a formula, and a subject is chosen by strangers.
const formulaStart = /^[=+\-@\t\r]/;

function toCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = formulaStart.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** RFC 4180: lines end in CRLF, and the first row holds the names of the columns. */
export function toCsv(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join("");
}

/** The byte order mark makes Excel read UTF-8. */
export function downloadCsv(fileName: string, rows: readonly (readonly CsvValue[])[]): void {
  downloadText(fileName, `\ufeff${toCsv(rows)}`, "text/csv;charset=utf-8");
}

export function downloadText(fileName: string, text: string, type = "text/plain;charset=utf-8"): void {
  saveFile(fileName, new Blob([text], { type }));
}

export function saveFile(fileName: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  // Safari reads the blob after the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
