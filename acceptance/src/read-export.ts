import type { Account } from "./account.ts";
import type { Answer } from "./client.ts";
import { until } from "./until.ts";

/** An account has two exports at a time, and tests run concurrently. */
export async function readExport(
  account: Account,
  list: "events" | "sends" | "suppression",
  query: Record<string, string>,
): Promise<Answer> {
  return until(
    () => account.asUser("GET", `/api/v1/${list}/export`, { query }),
    ({ status }) => status !== 429,
  );
}

/** The entries of an export as NDJSON. */
export function entriesOf({ text }: Answer): Answer["body"][] {
  const lines = text.split("\n");
  // A text without an end of its last line is cut.
  if (lines.pop() !== "") throw new Error("the export does not end with a line break");
  return lines.map((line) => JSON.parse(line));
}

/** The first line of CSV and the cell of each other line in this column. Only for lines without quoted commas before it. */
export function cellsOf({ text }: Answer, column: string): string[] {
  const [header = "", ...rows] = text.trimEnd().split("\r\n");
  const position = header.split(",").indexOf(column);
  return rows.map((row) => row.split(",")[position] ?? "");
}
