import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import type { SendEvents } from "./chaos-cell.ts";

/** Shorter than the default, so that sends in doubt are resolved by the absence of events during a run. */
export const inDoubtSeconds = 35;
/** The default: no send may be resolved without evidence during a run. */
const inDoubtMaxSeconds = 3600;
/** How long a send waits for evidence when the provider reports no Send events. */
const inDoubtWithoutEvents = 20;
/** Tolerance on top of the lease and the wait for evidence. */
const graceSeconds = 30;

/** The default. A network may delay a request, so that SES accepts the mail long after the worker gave up on it. */
export const defaultInDoubtSeconds = 120;

export function inDoubtSettings(sendEvents: SendEvents) {
  const most = sendEvents === "on" ? inDoubtMaxSeconds : inDoubtWithoutEvents;
  return { IN_DOUBT_SECONDS: String(inDoubtSeconds), IN_DOUBT_MAX_SECONDS: String(most) };
}

/** A send that the provider rejected three times is retried after two minutes plus up to 20 % jitter. */
export const thirdPauseSeconds = 144;

/** The time from the last fault until every send must be finished. */
export function finishLimitSeconds(sendEvents: SendEvents, longestPauseSeconds = 0): number {
  const resolveSeconds = leaseSeconds + (sendEvents === "on" ? inDoubtSeconds : inDoubtWithoutEvents);
  return Math.max(resolveSeconds, longestPauseSeconds) + graceSeconds;
}
