import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "./container-file.ts";

export const monitoringFolder = join(root, "deploy/monitoring");

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { refId: string; expr: string; legendFormat: string }[];
}

interface RuleTests {
  tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
}

// The casts: the tests check the parts of the files that they use.

export function readRules(): Rule[] {
  const { groups } = parse(read("rules.yml")) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export function readAlerts(): (Rule & { alert: string; runbook: string })[] {
  return readRules().flatMap(({ alert, ...rule }) =>
    alert === undefined ? [] : [{ ...rule, alert, runbook: rule.annotations?.runbook ?? "" }],
  );
}

export function readRuleTests(): RuleTests["tests"][number]["alert_rule_test"] {
  return (parse(read("rules.test.yml")) as RuleTests).tests.flatMap((test) => test.alert_rule_test);
}

export function readBoard(): { title: string; panels: Panel[]; templating: { list: { name: string }[] } } {
  return JSON.parse(read("board.json"));
}

/** A query of the board for Prometheus itself, with all cells. */
export function withoutVariables(expression: string): string {
  return expression.replaceAll("$cell", ".*");
}

function read(name: string): string {
  return readFileSync(join(monitoringFolder, name), "utf8");
}
