import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../docs/pages.ts";
import { listRepositoryFiles } from "../docs/repository-files.ts";
import { findWorkflowProblems } from "./workflow-commands.ts";

const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const known = {
  scripts: Object.keys(JSON.parse(read("package.json")).scripts as object),
  files: listRepositoryFiles(),
};
const workflows = readdirSync(new URL(".github/workflows/", root)).map((name) => `.github/workflows/${name}`);

test.for(workflows)("%s parses, is pinned and limited, and calls only scripts that exist", (path) => {
  expect(findWorkflowProblems(read(path), known)).toEqual([]);
});

interface CiStep {
  run?: string;
  uses?: string;
  with?: Record<string, unknown>;
}

const ciSteps = () =>
  (parse(read(".github/workflows/ci.yml")) as { jobs: { check: { steps: CiStep[] } } }).jobs.check.steps;

test("CI has the whole history, in which the proof of upgrades finds the previous version", () => {
  const checkout = ciSteps().find(({ uses }) => uses?.startsWith("actions/checkout@"));
  expect(checkout?.with?.["fetch-depth"]).toBe(0);
});

test("CI runs .ci/run and nothing else that a local run would miss", () => {
  const commands = ciSteps().flatMap(({ run }) => run ?? []);
  expect(commands.filter((command) => !command.startsWith("git config"))).toEqual([".ci/run"]);
});

test("the issue forms have unique ids, and security reports are sent elsewhere", () => {
  for (const name of ["bug", "idea"]) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as {
      name: string;
      body: { type: string; id?: string }[];
    };
    const ids = form.body.filter(({ type }) => type !== "markdown").map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  }
  const config = parse(read(".github/ISSUE_TEMPLATE/config.yml")) as { contact_links: { url: string }[] };
  expect(config.contact_links.map(({ url }) => url)).toEqual([expect.stringMatching(/\/security\/policy$/)]);
});

describe("the check of workflows", () => {
  const aWorkflow = (steps: string) => `
# This file has not run on a forge yet.
permissions: { contents: read }
concurrency: one
jobs:
  a:
    timeout-minutes: 5
    strategy: { matrix: { script: [test, missing] } }
    steps: ${steps}
`;

  test("accepts a sound one", () => {
    const steps = '[{ uses: "actions/checkout@v5" }, { run: npm run --silent test }, { run: .ci/run }]';
    expect(findWorkflowProblems(aWorkflow(steps), known)).toEqual([]);
  });

  test.for([
    ["an action without a version", "[{ uses: actions/checkout@main }]"],
    ["a script that does not exist", "[{ run: npm run tset }]"],
    ["a script of the matrix that does not exist", `[{ run: 'npm run "$SCRIPT"' }]`],
    ["a file that does not exist", "[{ run: .ci/rum }]"],
    ["no steps", "[]"],
  ])("reports %s", ([, steps]) => {
    expect(findWorkflowProblems(aWorkflow(steps ?? ""), known)).toHaveLength(1);
  });

  test("reports missing limits", () => {
    const text = "permissions: write-all\njobs: { a: { steps: [{ run: npm run test }] } }";
    expect(findWorkflowProblems(text, known)).toHaveLength(4);
  });
});
