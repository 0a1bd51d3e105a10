import type { SuppressionReason } from "../../suppression-reason.ts";
import { csvFields, delimiterOf } from "./csv-fields.ts";
import {
  addressColumnOf,
  columnName,
  type FileSource,
  hasAddressColumn,
  type ImportEntry,
  type ImportValues,
  toImportEntry,
} from "./import-sources.ts";
import { createRecordReader, type RecordReader, type TextRecord } from "./record-reader.ts";

/** A record of the file: the entry in it, or what is wrong with it. */
export type ReadRecord = { line: number; entry: ImportEntry } | { line: number; problem: string };

interface ImportReader {
  push(chunk: string): ReadRecord[];
  end(): ReadRecord[];
}

interface FileOptions {
  source: FileSource;
  /** The reason of a record that has none of its own. */
  otherwise: SuppressionReason;
}

/** Reads CSV, or NDJSON if the file begins with `{`. One piece of the file and one record are in memory. */
export function createImportReader({ source, otherwise }: FileOptions): ImportReader {
  let file: { reader: RecordReader; parse: ParseRecord } | undefined;
  const read = (records: TextRecord[], parse: ParseRecord): ReadRecord[] =>
    records.flatMap((record) => {
      if ("problem" in record) return [record];
      const { line, text } = record;
      const parsed = parse(text);
      if (parsed.kind === "header") return [];
      if (parsed.kind === "problem") return [{ line, problem: parsed.problem }];
      const entry = toImportEntry(source, parsed.values, otherwise);
      return ["problem" in entry ? { line, problem: entry.problem } : { line, entry }];
    });
  return {
    push(chunk) {
      const text = file === undefined ? chunk.replace(/^\ufeff/, "") : chunk;
      file ??= openFile(text, source);
      return read(file.reader.push(text), file.parse);
    },
    end: () => (file === undefined ? [] : read(file.reader.end(), file.parse)),
  };
}

type Parsed = { kind: "values"; values: ImportValues } | { kind: "header" } | { kind: "problem"; problem: string };
type ParseRecord = (text: string) => Parsed;

function openFile(start: string, source: FileSource): { reader: RecordReader; parse: ParseRecord } {
  const isJson = start.trimStart().startsWith("{");
  return { reader: createRecordReader({ hasQuotes: !isJson }), parse: isJson ? parseJson : csvParser(source) };
}

function parseJson(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return valuesOf(Object.entries(value));
  } catch {
    // The line is no JSON, which the problem says.
  }
  return { kind: "problem", problem: "is not a JSON object" };
}

/** The first record has the names of the columns, unless it has an address: then each line is an address. */
function csvParser(source: FileSource): ParseRecord {
  let columns: string[] | undefined;
  let delimiter = ",";
  return (text) => {
    if (columns === undefined) {
      delimiter = delimiterOf(text);
      const fields = csvFields(text, delimiter);
      columns = fields.map(columnName);
      if (hasAddressColumn(source, columns)) return { kind: "header" };
      columns = [addressColumnOf(source)];
      if (!fields[0]?.includes("@")) {
        return { kind: "problem", problem: `names no column ${addressColumnOf(source)}; the first column is read` };
      }
    }
    const fields = csvFields(text, delimiter);
    return valuesOf(columns.map((name, position) => [name, fields[position]]));
  };
}

/** Names and values as the sources compare them. The exports have text and numbers. */
export function valuesOf(pairs: readonly (readonly [string, unknown])[]): Extract<Parsed, { kind: "values" }> {
  const values = pairs.flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number" ? [[columnName(name), String(value)]] : [],
  );
  return { kind: "values", values: Object.fromEntries(values) };
}
