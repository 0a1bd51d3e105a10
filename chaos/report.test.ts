import { expect, test } from "vitest";
import { figureOf } from "./report.ts";
import type { Finding } from "./scenarios/scenario.ts";

const series = "crash points, 50 kills each";
const findings: Finding[] = [
  { what: "before-accept", value: "50 of 50", holds: true, series },
  { what: "after-accept", value: "49 of 50", holds: false, series },
  { what: "sends acknowledged", value: 20_000, holds: true },
  { what: "lost", value: 0, holds: true },
  { what: "  doubled", value: 2, holds: false },
  { what: "stuck", value: 0, holds: true },
  { what: "sends in doubt", value: 15 },
];

test("the figure of a run names every finding that does not hold, and joins series and counts of 0", () => {
  expect(figureOf({ seed: 7, seconds: 420 }, { n: 20_000, findings, notes: [] })).toEqual([
    "did not hold: after-accept: 49 of 50",
    "did not hold: doubled: 2",
    "1 of 2 crash points, 50 kills each",
    "sends acknowledged: 20,000",
    "sends in doubt: 15",
    "0 each: lost, stuck",
    "seed 7, 7 minutes",
  ]);
});
