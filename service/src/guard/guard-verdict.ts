import { type GuardCounts, minOutcomes, pauseLine, reviewLine } from "./limits.ts";

export interface GuardVerdict {
  /** Undefined below 200 outcomes, like every rate. */
  bounceRate: number | undefined;
  complaintRate: number | undefined;
  state: "unknown" | "good" | "warning";
  /** One sentence for each rate above the review line. */
  warnings: string[];
}

export function evaluateCounts({ outcomes, hardBounces, complaints }: GuardCounts): GuardVerdict {
  if (outcomes < minOutcomes) {
    return { bounceRate: undefined, complaintRate: undefined, state: "unknown", warnings: [] };
  }
  const [bounceRate, complaintRate] = [hardBounces / outcomes, complaints / outcomes];
  const warnings = [
    ...(hardBounces > reviewLine.bounceRate * outcomes
      ? [
          warning(
            `${hardBounces} of ${outcomes} recipients (${percentText(bounceRate)}) bounced permanently`,
            "bounceRate",
          ),
        ]
      : []),
    ...(complaints > reviewLine.complaintRate * outcomes
      ? [
          warning(
            `${complaints} of ${outcomes} recipients (${percentText(complaintRate)}) reported the mail as spam`,
            "complaintRate",
          ),
        ]
      : []),
  ];
  return { bounceRate, complaintRate, state: warnings.length === 0 ? "good" : "warning", warnings };
}

function warning(fact: string, rate: "bounceRate" | "complaintRate"): string {
  return `${fact}. SES reviews senders above ${percentText(reviewLine[rate])}; above ${percentText(pauseLine[rate])} Postern holds the mail.`;
}

/** At most two decimal places: 12 %, 0.1 %, 5.25 %. */
export function percentText(rate: number): string {
  return `${Number((rate * 100).toFixed(2))} %`;
}
