import { inspect } from "node:util";
import type { Outcome, Results } from "./run-tests.ts";
import { sectionOf } from "./sentence.ts";
import type { Suite } from "./suite.ts";

export interface Totals {
  passed: number;
  failed: number;
  notShown: number;
}

export function totalsOf(results: Results): Totals {
  const count = (kind: Outcome["kind"]) => [...results.values()].filter((outcome) => outcome.kind === kind).length;
  return { passed: count("passed"), failed: count("failed"), notShown: count("not-shown") };
}

/** A table of sections, then every sentence that is not shown to hold, then the total. */
export function reportText(suite: Suite, results: Results): string {
  const sections = Map.groupBy(results, ([number]) => sectionOf(number));
  const rows = [...sections].map(([section, entries]) => row(section, totalsOf(new Map(entries))));
  const totals = totalsOf(results);
  const lines = [
    "",
    `section  ${["sentences", "passed", "failed", "not shown"].map((title) => title.padStart(9)).join("  ")}`,
    ...rows,
    row("all", totals),
    "",
    ...[...results].flatMap(([number, outcome]) => complaint(suite, number, outcome)),
    ...suite.gaps.map((gap) => `✗ ${gap}`),
    `${results.size} sentences: ${totals.passed} passed, ${totals.failed} failed, ${totals.notShown} not shown`,
  ];
  return `${lines.join("\n")}\n`;
}

function row(section: string, { passed, failed, notShown }: Totals): string {
  const figures = [passed + failed + notShown, passed, failed, notShown];
  return `${section.padEnd(7)}  ${figures.map((figure) => String(figure).padStart(9)).join("  ")}`;
}

function complaint(suite: Suite, number: string, outcome: Outcome): string[] {
  const says = suite.sentences.get(number)?.says ?? "";
  switch (outcome.kind) {
    case "passed":
      return [];
    case "not-shown":
      return [`· ${number}  ${says}\n    not shown (${outcome.why})`];
    case "failed": {
      const isCompared = outcome.expected !== undefined || outcome.got !== undefined;
      const comparison = isCompared
        ? [`    expected  ${brief(outcome.expected)}`, `    got       ${brief(outcome.got)}`]
        : [];
      return [`✗ ${number}  ${says}`, `    ${outcome.what}`, ...comparison];
    }
  }
}

function brief(value: unknown): string {
  const text = typeof value === "string" ? value : inspect(value, { depth: 5, breakLength: 120 });
  return text.length > 600 ? `${text.slice(0, 600)} …` : text;
}

/** Every sentence with its number; ours are marked. */
export function listText({ sentences, gaps }: Suite): string {
  const lines = [...sentences].map(
    ([number, { says, isOurs }]) => `${number.padEnd(8)} ${isOurs ? "(ours) " : ""}${says}`,
  );
  const ourCount = [...sentences.values()].filter(({ isOurs }) => isOurs).length;
  const count = `${sentences.size} sentences, ${ourCount} of them ours`;
  return `${[...lines, "", ...gaps.map((gap) => `✗ ${gap}`), `${count}, ${gaps.length === 0 ? "each with a test" : `${gaps.length} gaps`}`].join("\n")}\n`;
}
