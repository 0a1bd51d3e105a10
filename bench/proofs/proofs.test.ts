import { expect, test } from "vitest";
import { proof } from "./plain-cost.proof.ts";

/** `npm run prove -- plain-cost` compares with the old checkout itself. */
test("the proof plain-cost holds at its small size", { timeout: 480_000 }, async () => {
  const finding = await proof.run(proof.size.small, { serverUrl: "", progress: () => undefined });
  expect(finding.holds, finding.figure).toBe(true);
});
