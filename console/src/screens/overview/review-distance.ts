/**
 * How far an account is from the lines of SES, by the rule of the guard (service/src/guard/limits.ts): a rate is above a line when
 * count > line * outcomes, and there is no verdict below 200 outcomes. Lines are integers ("one in 20"), so that nothing is rounded.
 */
export interface RateLines {
  reviewOneIn: number;
  pauseOneIn: number;
  /** A hard bounce is an outcome itself; a complaint follows a delivery, which was counted before. */
  countIsOutcome: boolean;
}

export const bounceLines: RateLines = { reviewOneIn: 20, pauseOneIn: 10, countIsOutcome: true };
export const complaintLines: RateLines = { reviewOneIn: 1000, pauseOneIn: 200, countIsOutcome: false };

export const minOutcomes = 200;

export type Verdict =
  | { state: "unknown"; outcomesMissing: number }
  /** `left`: the first of these that takes the rate above the next line, if nothing else happens. */
  | { state: "below"; rate: number; isClose: boolean; left: number }
  | { state: "review"; rate: number; left: number }
  | { state: "pause"; rate: number };

/** From this share of the review line on, the state is "close". */
const closeShare = 0.8;

export function evaluateRate(count: number, outcomes: number, lines: RateLines): Verdict {
  if (outcomes < minOutcomes) return { state: "unknown", outcomesMissing: minOutcomes - outcomes };
  const rate = count / outcomes;
  if (isAbove(count, outcomes, lines.pauseOneIn)) return { state: "pause", rate };
  if (isAbove(count, outcomes, lines.reviewOneIn)) {
    return { state: "review", rate, left: countToLine(count, outcomes, lines.pauseOneIn, lines.countIsOutcome) };
  }
  const isClose = count * lines.reviewOneIn > closeShare * outcomes;
  return {
    state: "below",
    rate,
    isClose,
    left: countToLine(count, outcomes, lines.reviewOneIn, lines.countIsOutcome),
  };
}

export function isAbove(count: number, outcomes: number, oneIn: number): boolean {
  return count * oneIn > outcomes;
}

/** How many more it takes until the rate is above the line, when no other outcome arrives. 0 when it is above already. */
export function countToLine(count: number, outcomes: number, oneIn: number, countIsOutcome: boolean): number {
  const room = outcomes - count * oneIn;
  if (room < 0) return 0;
  return Math.floor(room / (countIsOutcome ? oneIn - 1 : oneIn)) + 1;
}
