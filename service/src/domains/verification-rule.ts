import type { VerificationStatus } from "./domain.ts";

/** The facts about a domain at the end of a check. */
export interface VerificationEvidence {
  status: VerificationStatus;
  /** Whether DNS has our TXT record. `unknown`: DNS did not answer, which proves nothing. */
  proof: "seen" | "missing" | "unknown";
  isDkimVerified: boolean;
  secondsSinceRegistration: number;
  /** How long the checks of a verified domain have failed, including this one; 0 when this one succeeds. */
  secondsFailing: number;
}

export interface Evaluation {
  status: VerificationStatus;
  nextCheckSeconds: number;
}

const hour = 3600;
const day = 24 * hour;
/** How long the owner has to publish the records after registration, and to restore them when they disappear. */
export const gracePeriodSeconds = 72 * hour;

/**
 * Decides the status without clock, network or database:
 * 1. The TXT record and verified DKIM together make a domain Success, whatever its status was.
 * 2. A verified or pending domain becomes Failed only after the grace period, and only if DNS answered.
 * 3. A failed domain stays Failed until rule 1 applies.
 */
export function evaluateVerification(evidence: VerificationEvidence): Evaluation {
  if (evidence.proof === "seen" && evidence.isDkimVerified) return { status: "Success", nextCheckSeconds: day };
  switch (evidence.status) {
    case "Success":
      return evidence.proof !== "unknown" && evidence.secondsFailing >= gracePeriodSeconds
        ? { status: "Failed", nextCheckSeconds: hour }
        : { status: "Success", nextCheckSeconds: hour };
    case "Pending":
      return evidence.proof !== "unknown" && evidence.secondsSinceRegistration >= gracePeriodSeconds
        ? { status: "Failed", nextCheckSeconds: hour }
        : { status: "Pending", nextCheckSeconds: pendingPause(evidence) };
    case "Failed":
      return { status: "Failed", nextCheckSeconds: hour };
  }
}

/**
 * The pause grows from 30 seconds in the first ten minutes to an hour. When DNS has our TXT record and only the
 * provider has not seen its records yet, it starts at 10 seconds.
 */
function pendingPause({ proof, secondsSinceRegistration }: VerificationEvidence): number {
  const minSeconds = proof === "seen" ? 10 : 30;
  return Math.round(Math.min(hour, Math.max(minSeconds, secondsSinceRegistration / 20)));
}
