import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resultPlot } from "./result-plot.ts";
import { resultTable } from "./result-table.ts";
import { readResults } from "./results.ts";

const [begin, end] = ["<!-- results: npm run bench -- report -->", "<!-- end of results -->"];

/** Writes the table between its markers in docs/performance.md, and the plot to docs/performance.svg. */
export function writeReport(resultsFolder: string, docsFolder: string): void {
  const results = readResults(resultsFolder);
  const page = join(docsFolder, "performance.md");
  const text = readFileSync(page, "utf8");
  const [before, rest] = text.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined)
    throw new Error(`${page} does not have the markers "${begin}" and "${end}"`);
  const plot = "![Each figure relative to its goal](performance.svg)";
  writeFileSync(page, `${before}${begin}\n${plot}\n\n${resultTable(results)}\n${end}${after}`);
  writeFileSync(join(docsFolder, "performance.svg"), resultPlot(results));
}
