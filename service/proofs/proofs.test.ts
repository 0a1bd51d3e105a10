import { expect, test } from "vitest";
import { longProofs, proofNames, testSmallProofs } from "./small/small-proofs.ts";

const others = proofNames.filter((name) => !longProofs.includes(name));

test("each proof runs in exactly one of the two files", () => {
  expect([...others, ...longProofs].toSorted()).toEqual(proofNames);
  // It measures times, so it belongs to the file that waits less.
  expect(others).toContain("find-one");
});

testSmallProofs(others);
