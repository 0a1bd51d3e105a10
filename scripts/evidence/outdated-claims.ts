import type { Claim, Results } from "./result.ts";
import { stateOf } from "./state.ts";

/**
 * The claims whose row is not current, those with the shortest last run first and those that never ran last. `chosen` has kinds (`prove`)
 * and keys (`prove/jwt`); empty means all.
 */
export function outdatedClaims(root: string, claims: Claim[], results: Results, chosen: string[]): Claim[] {
  const secondsOf = ({ key }: Claim) => results[key]?.seconds ?? Number.MAX_SAFE_INTEGER;
  return claims
    .filter(({ key }) => chosen.length === 0 || chosen.some((each) => key === each || key.startsWith(`${each}/`)))
    .filter((claim) => stateOf(root, claim, results[claim.key]) !== "current")
    .toSorted((one, other) => secondsOf(one) - secondsOf(other));
}
