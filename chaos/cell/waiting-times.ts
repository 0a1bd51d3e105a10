import { leaseSeconds } from "../../service/src/sends/claim-sends.ts";
import type { SendEvents } from "./chaos-cell.ts";

/** Longer than a message is hidden that a killed worker had in hand; less would call its silence evidence. */
export const inDoubtSeconds = 35;
/** What a send waits for evidence that will never come. */
const inDoubtWithoutEvents = 20;
/** What is allowed beyond the lease and the wait. */
const graceSeconds = 30;

/**
 * The default. A network that holds a request back and then loses the answer of SQS can keep evidence away for longer than 35
 * seconds: the provider takes the mail after we have given it up, and its event is hidden for another half minute.
 */
export const usualInDoubtSeconds = 120;

export function doubtSettings(sendEvents: SendEvents) {
  const most = sendEvents === "on" ? 600 : inDoubtWithoutEvents;
  return { IN_DOUBT_SECONDS: String(inDoubtSeconds), IN_DOUBT_MAX_SECONDS: String(most) };
}

/** Whom the provider turned away three times comes again after two minutes, and a fifth of that. */
export const thirdPauseSeconds = 144;

/** From the last fault until nothing may be on its way any more. */
export function restWithinSeconds(sendEvents: SendEvents, longestPauseSeconds = 0): number {
  const doubtSeconds = leaseSeconds + (sendEvents === "on" ? inDoubtSeconds : inDoubtWithoutEvents);
  return Math.max(doubtSeconds, longestPauseSeconds) + graceSeconds;
}
