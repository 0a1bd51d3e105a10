/** The fields of one record of a CSV file (RFC 4180). */
export function csvFields(record: string, delimiter: string): string[] {
  if (!record.includes('"')) return record.split(delimiter).map(trimmed);
  const fields: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const { field, next } = readField(record, at, delimiter);
    fields.push(field);
    at = next;
  }
  return fields;
}

/** `next` is the start of the next field, beyond the record after the last one. */
function readField(record: string, start: number, delimiter: string): { field: string; next: number } {
  if (record[start] !== '"') {
    const end = endOf(record, delimiter, start);
    return { field: trimmed(record.slice(start, end)), next: end + 1 };
  }
  let at = start + 1;
  while (at < record.length && !(record[at] === '"' && record[at + 1] !== '"')) at += record[at] === '"' ? 2 : 1;
  const field = record.slice(start + 1, at).replaceAll('""', '"');
  return { field: trimmed(field), next: endOf(record, delimiter, at) + 1 };
}

function endOf(record: string, delimiter: string, from: number): number {
  const index = record.indexOf(delimiter, from);
  return index === -1 ? record.length : index;
}

/** Our own export puts an apostrophe before text that a spreadsheet would run as a formula. */
function trimmed(field: string): string {
  return field.trim().replace(/^'(?=[=+\-@])/, "");
}

/** What separates the columns of a file with this first line. Spreadsheets in some languages write semicolons. */
export function delimiterOf(firstLine: string): string {
  if (firstLine.includes(",")) return ",";
  return firstLine.includes(";") ? ";" : "\t";
}
