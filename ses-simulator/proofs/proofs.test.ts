import { expect, test } from "vitest";
import { proof as crash } from "./simulator-crash.proof.ts";
import { proof as rate } from "./simulator-rate.proof.ts";

/** `npm run prove -- NAME` runs the same proofs at full size. */
test.each([
  ["simulator-crash", crash],
  ["simulator-rate", rate],
])("the proof %s holds at small size", { timeout: 60_000 }, async (_, proof) => {
  const finding = await proof.run(proof.size.small, { serverUrl: "", progress: () => {} });
  expect(finding.holds, finding.figure).toBe(true);
});
