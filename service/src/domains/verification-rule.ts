import type { VerificationStatus } from "./domain.ts";

/** What is known of a domain when it has just been looked at. */
export interface Look {
  status: VerificationStatus;
  /** `unknown` when DNS gave no answer: that is evidence of nothing. */
  proof: "seen" | "missing" | "unknown";
  isDkimVerified: boolean;
  secondsSinceRegistration: number;
  /** How long a verified domain has been seen not to be in order, counting this look; 0 when it is. */
  secondsFailing: number;
}

export interface Validation {
  status: VerificationStatus;
  nextCheckSeconds: number;
}

const hour = 3600;
const day = 24 * hour;
/** The time an owner has to publish the records, and to put them back when they have vanished. */
export const patienceSeconds = 72 * hour;

/** The whole of the rule, without clock, network or database. */
export function judge(look: Look): Validation {
  if (look.proof === "seen" && look.isDkimVerified) return { status: "Success", nextCheckSeconds: day };
  switch (look.status) {
    case "Success":
      return look.proof !== "unknown" && look.secondsFailing >= patienceSeconds
        ? { status: "Failed", nextCheckSeconds: hour }
        : { status: "Success", nextCheckSeconds: hour };
    case "Pending":
      return look.proof !== "unknown" && look.secondsSinceRegistration >= patienceSeconds
        ? { status: "Failed", nextCheckSeconds: hour }
        : { status: "Pending", nextCheckSeconds: pendingPause(look) };
    case "Failed":
      return { status: "Failed", nextCheckSeconds: hour };
  }
}

/**
 * From every 30 seconds for the first ten minutes to hourly: the older the wait, the less a minute matters. When our proof
 * is there and only the provider has not seen its records yet, it is a matter of seconds.
 */
function pendingPause({ proof, secondsSinceRegistration }: Look): number {
  const shortest = proof === "seen" ? 10 : 30;
  return Math.round(Math.min(hour, Math.max(shortest, secondsSinceRegistration / 20)));
}
