import type { AttemptAnswer } from "./attempt-delivery.ts";
import { maxAttempts, nextAttemptSeconds, soonerAttemptSeconds } from "./attempt-schedule.ts";

/** What an attempt counts as, and when the next one is due. */
export function nextStep({ result, retryAfterSeconds }: AttemptAnswer, attempt: number) {
  switch (result) {
    case "lost":
      return { kind: "not-made", delaySeconds: undefined } as const;
    case "not-made":
      return { kind: "not-made", delaySeconds: soonerAttemptSeconds(Math.min(attempt, maxAttempts - 1)) } as const;
    default:
      return { kind: "made", delaySeconds: nextAttemptSeconds(attempt, retryAfterSeconds) } as const;
  }
}
