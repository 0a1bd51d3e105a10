import { AppError } from "../../errors.ts";
import { createFairSlots, type FairSlots } from "../../fair-slots.ts";

const perAddress = 20;
/** One account cannot occupy an address that others use too, such as one of a content delivery network. */
const perAccount = 16;
/** Ten endpoints of an account, each with four attempts. */
const waitingPerAccount = 40;
const waitingTotal = 2_000;

export interface DestinationSlots {
  /** Throws an `AppError` with the code UNAVAILABLE when the address stays busy. */
  run<Result>(address: string, accountId: string, work: () => Promise<Result>): Promise<Result>;
}

/** Limits the requests in flight to one address, over all accounts, fairly between them. */
export function createDestinationSlots(maxWaitMs: number): DestinationSlots {
  const slotsOf = new Map<string, { slots: FairSlots; users: number }>();
  return {
    async run(address, accountId, work) {
      const entry = slotsOf.get(address) ?? { slots: createSlots(maxWaitMs), users: 0 };
      slotsOf.set(address, entry);
      entry.users += 1;
      try {
        return await entry.slots.run(accountId, work);
      } finally {
        entry.users -= 1;
        if (entry.users === 0) slotsOf.delete(address);
      }
    },
  };
}

function createSlots(maxWaitMs: number): FairSlots {
  return createFairSlots({
    perOwner: perAccount,
    total: perAddress,
    waitingPerOwner: waitingPerAccount,
    waitingTotal,
    maxWaitMs,
    refuse: () => new AppError("UNAVAILABLE", "too many requests to the address are in flight"),
  });
}
