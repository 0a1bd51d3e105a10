import { createBatch } from "../db/batch.ts";
import type { Queryable } from "../db/database.ts";
import { giveBack, leaveInDoubt, markFailed, markSent, markSuppressed, retryLater } from "./settle-sends.ts";

export type Settlements = ReturnType<typeof openSettlements>;

/** The moves for one send each: what is settled while a round trip is under way shares the next one. */
export function openSettlements(db: Queryable) {
  return {
    markSent: shared(db, markSent),
    markFailed: shared(db, markFailed),
    markSuppressed: shared(db, markSuppressed),
    retryLater: shared(db, retryLater),
    giveBack: shared(db, giveBack),
    leaveInDoubt: shared(db, leaveInDoubt),
  };
}

function shared<Item, Result>(db: Queryable, move: (db: Queryable, items: Item[]) => Promise<Result[]>) {
  return createBatch<Item, Result>({
    run: (items) => move(db, items),
    maxItems: 200,
    maxBytes: 1_000_000,
    // Details are cut to a thousand characters and the rest is short, so the count alone limits a trip.
    sizeOf: () => 1,
  });
}
