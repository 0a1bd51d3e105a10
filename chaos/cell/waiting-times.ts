import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import type { SendEvents } from "./chaos-cell.ts";

/** Shorter than the default, so that a run shows what silence resolves. */
export const inDoubtSeconds = 35;
/** The default: silence alone must not end a doubt while a run lasts. */
const inDoubtMaxSeconds = 3600;
/** What a send waits for evidence that will never come. */
const inDoubtWithoutEvents = 20;
/** What is allowed beyond the lease and the wait. */
const graceSeconds = 30;

/** The default. A network may hold a request back, and the provider takes the mail long after we have given it up. */
export const usualInDoubtSeconds = 120;

export function doubtSettings(sendEvents: SendEvents) {
  const most = sendEvents === "on" ? inDoubtMaxSeconds : inDoubtWithoutEvents;
  return { IN_DOUBT_SECONDS: String(inDoubtSeconds), IN_DOUBT_MAX_SECONDS: String(most) };
}

/** Whom the provider turned away three times comes again after two minutes, and a fifth of that. */
export const thirdPauseSeconds = 144;

/** From the last fault until nothing may be on its way any more. */
export function restWithinSeconds(sendEvents: SendEvents, longestPauseSeconds = 0): number {
  const doubtSeconds = leaseSeconds + (sendEvents === "on" ? inDoubtSeconds : inDoubtWithoutEvents);
  return Math.max(doubtSeconds, longestPauseSeconds) + graceSeconds;
}
