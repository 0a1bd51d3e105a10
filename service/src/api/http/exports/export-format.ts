import { z } from "zod";
import { type CsvValue, csvLine } from "./csv-line.ts";

export const formatParameter = z
  .enum(["csv", "ndjson"])
  .default("ndjson")
  .describe("`ndjson`: one object a line. `csv`: the first line has the names of the columns")
  .meta({ "x-default": "ndjson" });

export type ExportFormat = z.infer<typeof formatParameter>;

export interface ExportedList<Row, Entry> {
  /** The name of the file without its ending. */
  name: string;
  toEntry: (row: Row) => Entry;
  /** The columns of CSV, in their order. NDJSON has the whole entry. */
  columns: Readonly<Record<string, (entry: Entry) => CsvValue>>;
}

/** Bounds the rows in memory; the caller is authenticated again after so many. */
export const exportPageSize = 500;

export function linesOf<Row, Entry>({ toEntry, columns }: ExportedList<Row, Entry>, format: ExportFormat) {
  if (format === "ndjson") return { toLine: (row: Row) => `${JSON.stringify(toEntry(row))}\n` };
  const cells = Object.values(columns);
  return {
    header: csvLine(Object.keys(columns)),
    toLine: (row: Row) => {
      const entry = toEntry(row);
      return csvLine(cells.map((cell) => cell(entry)));
    },
  };
}

export function headersOf({ name }: { name: string }, format: ExportFormat) {
  return {
    "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
    "content-disposition": `attachment; filename="${name}.${format}"`,
  };
}

/** What every export promises, for its description. */
export const exportRules =
  "All that match, newest first. A response that ends without its last chunk is incomplete, which clients report as an error; `before` with " +
  "the id of the last complete line continues it. That happens when the credential expires or loses its rights, when the client does not " +
  "take 500 lines within a minute, and after 10 minutes. An account has 2 exports at a time at most, and a process of the API 16; a further " +
  "one is 429. In CSV, an apostrophe precedes text that a spreadsheet would run as a formula.";

export function exportResponse(entry: z.ZodType, description: string) {
  return {
    description,
    content: { "application/x-ndjson": { schema: entry }, "text/csv": { schema: z.string() } },
  };
}
