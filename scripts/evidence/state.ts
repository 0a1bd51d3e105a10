import { hashOfCovered } from "./covered-code.ts";
import type { Claim, Result } from "./result.ts";

export type State = "current" | "stale" | "did not hold" | "did not hold, stale" | "not measured";

/** A result is stale when the promise or the covered code differs from that of its run. */
export function stateOf(root: string, claim: Claim, result: Result | undefined): State {
  if (result === undefined) return "not measured";
  const isCurrent = result.promise === claim.promise && result.covered === hashOfCovered(root, claim.covers);
  if (isCurrent) return result.holds ? "current" : "did not hold";
  return result.holds ? "stale" : "did not hold, stale";
}
