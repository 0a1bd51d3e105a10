/** A record of the file by the names of its columns, and the line where it begins. */
export interface FileRecord {
  line: number;
  fields: Record<string, string>;
}

/** Reads CSV, or NDJSON if the text begins with `{`. A line that is no JSON has no fields, which the API reports as a problem. */
export function readRecords(file: string): FileRecord[] {
  const text = file.replace(/^\ufeff/, "");
  return text.trimStart().startsWith("{") ? readJson(text) : readCsv(text);
}

function readJson(text: string): FileRecord[] {
  return text
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [{ line: index + 1, fields: fieldsOf(line) }]));
}

function fieldsOf(line: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return {};
    const pairs = Object.entries(value).filter(([, field]) => typeof field === "string" || typeof field === "number");
    return Object.fromEntries(pairs.map(([name, field]) => [name, String(field)]));
  } catch {
    return {};
  }
}

/** The first record has the names of the columns, unless it has an address: then each line is an address. */
function readCsv(text: string): FileRecord[] {
  const [first, ...rest] = splitCsv(text);
  if (first === undefined) return [];
  const isHeader = !first.cells.some((cell) => cell.includes("@"));
  const names = isHeader ? first.cells : ["email"];
  return (isHeader ? rest : [first, ...rest]).map(({ line, cells }) => ({
    line,
    fields: Object.fromEntries(names.map((name, position) => [name, cells[position] ?? ""])),
  }));
}

function splitCsv(text: string): { line: number; cells: string[] }[] {
  const end = text.indexOf("\n");
  const delimiter = delimiterOf(end === -1 ? text : text.slice(0, end));
  const records: { line: number; cells: string[] }[] = [];
  let [cells, cell, isQuoted]: [string[], string, boolean] = [[], "", false];
  let [line, start] = [1, 1];
  const finish = () => {
    cells.push(clean(cell));
    if (cells.some((each) => each !== "")) records.push({ line: start, cells });
    [cells, cell, start] = [[], "", line];
  };
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? "";
    if (mark === "\n") line++;
    if (mark === '"') {
      if (isQuoted && text[at + 1] === '"') {
        cell += '"';
        at++;
      } else isQuoted = !isQuoted;
    } else if (isQuoted || (mark !== delimiter && mark !== "\n")) cell += mark;
    else if (mark === delimiter) {
      cells.push(clean(cell));
      cell = "";
    } else finish();
  }
  if (cell !== "" || cells.length > 0) finish();
  return records;
}

/** Our own export puts an apostrophe before text that a spreadsheet would run as a formula. */
function clean(cell: string): string {
  return cell.trim().replace(/^'(?=[=+\-@])/, "");
}

function delimiterOf(firstLine: string): string {
  if (firstLine.includes(",")) return ",";
  return firstLine.includes(";") ? ";" : "\t";
}
