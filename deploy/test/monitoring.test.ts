import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { listMetrics } from "../../scripts/docs/metrics-page.ts";
import { root } from "./container-file.ts";
import {
  monitoringFolder,
  readAlerts,
  readBoard,
  readRules,
  readRuleTests,
  withoutVariables,
} from "./monitoring-files.ts";

const alerts = readAlerts();
const board = readBoard();
const metrics = new Map(listMetrics().map((metric) => [metric.name, metric]));

describe("the runbook and the alerts name each other", () => {
  const sections = readFileSync(join(root, "docs/runbook.md"), "utf8").split(/^## /m).slice(1);
  const bySection = new Map(
    sections.map((section) => {
      const [heading = ""] = section.split("\n", 1);
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-");
      return [anchor, new Set([...section.matchAll(/`(Postern\w+)`/g)].map(([, name = ""]) => name))] as const;
    }),
  );

  test.for(alerts)("$alert names a section that names it", ({ alert, runbook }) => {
    const [file, anchor = ""] = runbook.split("#");
    expect(file).toBe("docs/runbook.md");
    expect([...(bySection.get(anchor) ?? [])]).toContain(alert);
  });

  test("each alert that a section lists exists and names that section", () => {
    const known = new Map(alerts.map(({ alert, runbook }) => [alert, runbook.split("#")[1]]));
    const wrong = [...bySection].flatMap(([anchor, named]) =>
      [...named].filter((name) => known.get(name) !== anchor).map((name) => `${name} in ${anchor}`),
    );
    expect(wrong).toEqual([]);
  });

  test("each section with an alert says how the operator knows that it is over", () => {
    const silent = sections
      .filter((section) => section.includes("**Alert"))
      .filter((section) => !/over when|Over when|it ends/.test(section))
      .map((section) => section.split("\n", 1)[0]);
    expect(silent).toEqual([]);
  });
});

describe("queries of rules and board", () => {
  const queries = [
    ...readRules().map(({ alert, record, expr }) => ({ of: alert ?? record ?? "", expr })),
    ...board.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
  ];

  test.for(queries)("$of: existing metrics, and those of the cell are never added", ({ expr }) => {
    const names = [...expr.matchAll(/(?<![\w:])postern_\w+/g)].map(([name]) => name);
    for (const name of names) {
      const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|count|sum)$/, ""));
      expect(metric, name).toBeDefined();
      if (metric?.isOfCell !== true) continue;
      const uses = [...expr.matchAll(new RegExp(`(\\w+) by \\([^)]*\\) \\((?:rate|increase)?\\(?${name}\\b`, "g"))];
      expect(uses.map(([, aggregation]) => aggregation).filter((each) => each !== "max" && each !== "min")).toEqual([]);
      expect(uses.length, `${name} without max or min`).toBe(names.filter((other) => other === name).length);
    }
  });
});

test("each alert is tested: it fires, and it stays quiet before and after", () => {
  const tested = readRuleTests();
  for (const { alert } of alerts) {
    const ours = tested.filter(({ alertname }) => alertname === alert);
    expect(ours.filter(({ exp_alerts }) => exp_alerts.length > 0).length, alert).toBeGreaterThan(0);
    expect(ours.filter(({ exp_alerts }) => exp_alerts.length === 0).length, alert).toBeGreaterThan(1);
  }
});

describe("the board", () => {
  test("has panels with different ids that do not overlap, each with a query and a legend", () => {
    const { panels } = board;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const panel of panels) {
      expect(panel.targets.length, panel.title).toBeGreaterThan(0);
      expect(panel.targets.every(({ expr, legendFormat }) => expr !== "" && legendFormat !== "")).toBe(true);
      expect(panel.gridPos.x + panel.gridPos.w, panel.title).toBeLessThanOrEqual(24);
      const overlapping = panels.filter((other) => other.id !== panel.id && isOver(panel.gridPos, other.gridPos));
      expect(
        overlapping.map(({ title }) => title),
        panel.title,
      ).toEqual([]);
    }
  });

  test("uses only variables that it defines", () => {
    const used = [...JSON.stringify(board.panels).matchAll(/\$\{?(\w+)\}?/g)].map(([, name]) => name);
    const defined = board.templating.list.map(({ name }) => name);
    expect(new Set(used)).toEqual(new Set(defined));
  });
});

type Place = { x: number; y: number; w: number; h: number };

function isOver(one: Place, other: Place): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
}

/** CI sets PROMTOOL and installs it; elsewhere these tests are left out without it: apt-get install prometheus. */
const promtool = process.env.PROMTOOL ?? "/usr/bin/promtool";
const isMissing = process.env.PROMTOOL === undefined && !existsSync(promtool);

describe.skipIf(isMissing)("promtool", () => {
  const run = (...args: string[]) => execFileSync(promtool, args, { cwd: monitoringFolder, encoding: "utf8" });

  test("each alert fires and stays quiet as rules.test.yml says", { timeout: 300_000 }, () => {
    expect(run("test", "rules", "rules.test.yml")).toContain("SUCCESS");
  });

  test("accepts the example configuration with its rules", () => {
    expect(run("check", "config", "prometheus.yml")).toContain("SUCCESS");
  });

  test("parses every query of the board", () => {
    const folder = mkdtempSync(join(tmpdir(), "postern-board-"));
    try {
      const queries = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      const rules = queries.map((expr, index) => ({ record: `board:query${index}`, expr: withoutVariables(expr) }));
      writeFileSync(join(folder, "board.yml"), stringify({ groups: [{ name: "board", rules }] }));
      expect(run("check", "rules", join(folder, "board.yml"))).toContain(`${queries.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
