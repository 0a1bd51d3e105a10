import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { capacityTable } from "./capacity-table.ts";
import { costsFrom, neededBenches, type Report, type Reports } from "./measured-costs.ts";

const begin = /<!-- capacity: written by .* -->/;
const written = "<!-- capacity: written by npm run docs -->";
const end = "<!-- capacity: end -->";

/** The document with the table computed from the results. If results are missing, it names their commands instead. */
export function withCapacityTable(document: string, results: string): string {
  const missing = neededBenches.filter((name) => !existsSync(join(results, `${name}.json`)));
  return replacePart(document, missing.length > 0 ? missingText(missing) : tableFrom(results));
}

export function replacePart(text: string, part: string): string {
  const [from, to] = [text.search(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the document does not have the markers "${written}" and "${end}"`);
  return `${text.slice(0, from)}${written}\n${part}\n${text.slice(to)}`;
}

function missingText(missing: string[]): string {
  const runs = missing.map((name) => `\`npm run bench -- ${name}\``).join(", ");
  return `There is no table yet. Run on an idle machine: ${runs}.`;
}

function tableFrom(results: string): string {
  const read = (name: string): Report => JSON.parse(readFileSync(join(results, `${name}.json`), "utf8"));
  const reports: Reports = {
    accept: read("accept"),
    drain: read("drain"),
    feedback: read("feedback"),
    cells: read("cells"),
  };
  return capacityTable(costsFrom(reports), reports);
}
