import { inspect } from "node:util";
import { sectionOf } from "./requirement.ts";
import type { Outcome, Results } from "./run-tests.ts";
import type { Suite } from "./suite.ts";

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

export function totalsOf(results: Results): Totals {
  const count = (kind: Outcome["kind"]) => [...results.values()].filter((outcome) => outcome.kind === kind).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** A table of sections, then every requirement that did not pass, then the totals. */
export function reportText(suite: Suite, results: Results): string {
  const sections = Map.groupBy(results, ([number]) => sectionOf(number));
  const rows = [...sections].map(([section, entries]) => tableRow(section, totalsOf(new Map(entries))));
  const totals = totalsOf(results);
  const lines = [
    "",
    `section  ${["requirements", "passed", "failed", "skipped"].map((title) => title.padStart(12)).join("  ")}`,
    ...rows,
    tableRow("all", totals),
    "",
    ...[...results].flatMap(([number, outcome]) => describeOutcome(suite, number, outcome)),
    ...suite.gaps.map((gap) => `✗ ${gap}`),
    `${results.size} requirements: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`,
  ];
  return `${lines.join("\n")}\n`;
}

function tableRow(section: string, { passed, failed, skipped }: Totals): string {
  const figures = [passed + failed + skipped, passed, failed, skipped];
  return `${section.padEnd(7)}  ${figures.map((figure) => String(figure).padStart(12)).join("  ")}`;
}

function describeOutcome(suite: Suite, number: string, outcome: Outcome): string[] {
  const text = suite.requirements.get(number)?.text ?? "";
  switch (outcome.kind) {
    case "passed":
      return [];
    case "skipped":
      return [`· ${number}  ${text}\n    skipped (${outcome.reason})`];
    case "failed": {
      const hasValues = outcome.expected !== undefined || outcome.got !== undefined;
      const values = hasValues
        ? [`    expected  ${shorten(outcome.expected)}`, `    got       ${shorten(outcome.got)}`]
        : [];
      return [`✗ ${number}  ${text}`, `    ${outcome.what}`, ...values];
    }
  }
}

function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : inspect(value, { depth: 5, breakLength: 120 });
  return text.length > 600 ? `${text.slice(0, 600)} …` : text;
}

/** Every requirement with its number. Decisions of this project are marked. */
export function listText({ requirements, gaps }: Suite): string {
  const lines = [...requirements].map(
    ([number, { text, isDecision }]) => `${number.padEnd(8)} ${isDecision ? "(decision) " : ""}${text}`,
  );
  const decisions = [...requirements.values()].filter(({ isDecision }) => isDecision).length;
  const coverage = gaps.length === 0 ? "each with a test" : `${gaps.length} gaps`;
  const summary = `${requirements.size} requirements (${decisions} are decisions of this project), ${coverage}`;
  return `${[...lines, "", ...gaps.map((gap) => `✗ ${gap}`), summary].join("\n")}\n`;
}
