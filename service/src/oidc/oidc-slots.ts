import { AppError } from "../errors.ts";
import { createFairSlots, type FairSlots } from "../fair-slots.ts";

/** A company comes from one address. While the issuer does not answer, each log-in occupies its slot for up to 15 s. */
const maxExchanges = 16;
const maxExchangesPerAddress = 8;
const maxWaitingPerAddress = 32;
const maxWaiting = 64;
const maxWaitMs = 5_000;

/** Limits the log-ins that wait for the issuer at a time. Log-ins by password have slots of their own. */
export function createOidcSlots(): FairSlots {
  return createFairSlots({
    perOwner: maxExchangesPerAddress,
    total: maxExchanges,
    waitingPerOwner: maxWaitingPerAddress,
    waitingTotal: maxWaiting,
    maxWaitMs,
    refuse: () =>
      new AppError("UNAVAILABLE", "Too many log-ins wait for the issuer. Start the log-in again in a few seconds.", {
        retryAfterSeconds: 5,
      }),
  });
}
