import type { Settings } from "../settings.ts";
import type { SuppressionReason } from "./configuration-set.ts";

export interface Account {
  sendingEnabled: boolean;
  enforcementStatus: "HEALTHY" | "PROBATION" | "SHUTDOWN";
  productionAccess: boolean;
  max24HourSend: number;
  maxSendRate: number;
  suppressedReasons: SuppressionReason[];
}

/** The account of a simulator whose account nobody changed yet. */
export function newAccount({ max24HourSend, maxSendRate, sandbox }: Settings): Account {
  return {
    sendingEnabled: true,
    enforcementStatus: "HEALTHY",
    productionAccess: !sandbox,
    max24HourSend,
    maxSendRate,
    suppressedReasons: ["BOUNCE", "COMPLAINT"],
  };
}
