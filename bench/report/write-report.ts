import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resultPlot } from "./result-plot.ts";
import { resultTable } from "./result-table.ts";
import { readResults } from "./results.ts";

const [begin, end] = ["<!-- results: npm run bench -- report -->", "<!-- end of results -->"];

/** Puts plot and table between their marks in docs/performance.md and draws the plot beside it. */
export function writeReport(resultsFolder: string, docsFolder: string): void {
  const results = readResults(resultsFolder);
  const page = join(docsFolder, "performance.md");
  const text = readFileSync(page, "utf8");
  const [before, rest] = text.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`${page} has lost the marks of its table`);
  const plot = "![Each figure in relation to its goal](performance.svg)";
  writeFileSync(page, `${before}${begin}\n${plot}\n\n${resultTable(results)}\n${end}${after}`);
  writeFileSync(join(docsFolder, "performance.svg"), resultPlot(results));
}
