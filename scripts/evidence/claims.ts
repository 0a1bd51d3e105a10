import { benchClaim, benches } from "../../bench/benches.ts";
import { matrixClaim, mutantsClaim, scenarioClaims } from "../../chaos/claims.ts";
import { acceptanceClaim, mutationsClaim } from "./acceptance-claims.ts";
import { loadProof, proofClaim, proofNames } from "./proof-claims.ts";
import type { Claim } from "./result.ts";

/** Every claim of this tree that a command measures and records. */
export async function listClaims(): Promise<Claim[]> {
  const proofs = await Promise.all(proofNames().map(loadProof));
  return [
    ...proofs.map(proofClaim),
    ...scenarioClaims,
    matrixClaim,
    acceptanceClaim,
    mutationsClaim,
    mutantsClaim,
    ...benches.map(benchClaim),
  ];
}
