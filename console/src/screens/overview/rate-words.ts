import { formatCount } from "../../parts/format-number.ts";
import { minOutcomes, type RateLines, type Verdict } from "./review-distance.ts";

export function verdictWord(verdict: Verdict): { word: string; level: "quiet" | "warn" | "bad" } {
  switch (verdict.state) {
    case "unknown":
      return { word: `Under ${minOutcomes} outcomes`, level: "quiet" };
    case "below":
      return verdict.isClose ? { word: "Close to review", level: "warn" } : { word: "Below review", level: "quiet" };
    case "review":
      return { word: "Above review", level: "warn" };
    case "pause":
      return { word: "Above pause", level: "bad" };
  }
}

/** "31 hard bounces left before SES reviews you", and what the number means. */
export function describeVerdict(
  verdict: Verdict,
  [one, many]: [string, string],
  { reviewOneIn, pauseOneIn }: RateLines,
) {
  const counted = "Counted over 7 days by UTC.";
  const left = (count: number) => formatCount(count, one, many);
  switch (verdict.state) {
    case "unknown":
      return {
        title: "Too few outcomes for a verdict",
        text: `${counted} ${formatCount(verdict.outcomesMissing, "outcome")} more are needed.`.replace(
          "1\u00a0outcome more are",
          "1\u00a0outcome more is",
        ),
      };
    case "below":
      return {
        title: `${left(verdict.left)} left before SES reviews you`,
        text: `${counted} The number holds if nothing else is delivered; above ${percent(reviewOneIn)} SES reviews senders.`,
      };
    case "review":
      return {
        title: `${left(verdict.left)} left before SES may pause you`,
        text: `${counted} SES reviews senders above ${percent(reviewOneIn)}. Above ${percent(pauseOneIn)} Postern holds your mail.`,
      };
    case "pause":
      return {
        title: "SES may pause your sending",
        text: `${counted} Stop sending to addresses that do not expect your mail. Above ${percent(pauseOneIn)} Postern holds it.`,
      };
  }
}

function percent(oneIn: number): string {
  return `${100 / oneIn}\u00a0%`;
}
