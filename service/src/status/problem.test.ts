import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandOf } from "./problem.ts";
import { runbookSections } from "./runbook-sections.ts";

test("every section that a problem links to is a heading of the runbook", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/runbook.md"), "utf8");
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  expect(headings).toEqual(expect.arrayContaining([...runbookSections]));
});

test.for([
  ["To resume: `postern admin release --account 17`", "postern admin release --account 17"],
  ["Run `postern admin quarantine list`, then `postern admin quarantine show ID`.", "postern admin quarantine list"],
  ["Its log has the reason: `delivery.claim-failed`.", null],
  ["See `postern admin quarantine show ID`.", null],
  ["Run `postern admin move-account 17 --from FILE --switch` with the settings of the target.", null],
])("the command of %j is %j", ([advice, command]) => {
  expect(commandOf({ what: "A problem.", advice: advice ?? "" })).toBe(command);
});
