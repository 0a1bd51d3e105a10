/** What is known of one recipient. It only rises, so the result does not depend on the order in which reports arrive. */
export const outcomeRanks = { none: 0, bouncedForNow: 1, delivered: 2, bouncedForGood: 3, complained: 4 } as const;

export type OutcomeRank = (typeof outcomeRanks)[keyof typeof outcomeRanks];

/** The status of a send that was handed over: the gravest over its recipients. `record-feedback.ts` says it in SQL. */
export function statusFromOutcomes(outcomes: OutcomeRank[]): "sent" | "delivered" | "bounced" | "complained" {
  if (outcomes.includes(outcomeRanks.complained)) return "complained";
  if (outcomes.includes(outcomeRanks.bouncedForGood) || outcomes.includes(outcomeRanks.bouncedForNow)) return "bounced";
  return outcomes.includes(outcomeRanks.delivered) ? "delivered" : "sent";
}
