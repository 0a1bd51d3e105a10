import { AppError } from "../errors.ts";
import { createFairSlots, type FairSlots } from "../fair-slots.ts";

/**
 * Half of the four threads that Node has for such work. The other half stays free for all else that uses them, such as name lookups for
 * connections to the database and to AWS. A hash takes 19 MiB and about 30 ms of a processor.
 */
const maxHashes = 2;
const maxWaitingPerAddress = 8;
const maxWaiting = 64;
const maxWaitMs = 8_000;

/** Limits the log-ins that run at a time. Addresses take turns, so that a flood from a few of them does not keep others out. */
export function createLoginSlots(): FairSlots {
  return createFairSlots({
    perOwner: maxHashes,
    total: maxHashes,
    waitingPerOwner: maxWaitingPerAddress,
    waitingTotal: maxWaiting,
    maxWaitMs,
    refuse: tooManyLogins,
  });
}

function tooManyLogins(): AppError {
  return new AppError("UNAVAILABLE", "Too many log-ins are in progress. Try again shortly.", { retryAfterSeconds: 2 });
}
