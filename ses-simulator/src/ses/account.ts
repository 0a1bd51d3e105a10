import type { Settings } from "../settings.ts";
import type { SuppressionReason } from "./configuration-set.ts";

export interface Account {
  sendingEnabled: boolean;
  enforcementStatus: "HEALTHY" | "PROBATION" | "SHUTDOWN";
  productionAccess: boolean;
  max24HourSend: number;
  maxSendRate: number;
  suppressedReasons: SuppressionReason[];
  /** Undefined while Virtual Deliverability Manager is off. */
  recommendations?: Recommendation[] | undefined;
}

export const recommendationTypes = ["BIMI", "BOUNCE", "COMPLAINT", "DKIM", "DMARC", "FEEDBACK_3P", "IP_LISTING", "SPF"];

export interface Recommendation {
  type: string;
  impact: "HIGH" | "LOW";
  resourceArn: string;
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
