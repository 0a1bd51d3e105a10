import type { Queryable } from "../db/database.ts";
import { firstSend, parkSome } from "../queue/parked-sends.ts";

/**
 * Parks the queued mail of accounts that were just held, in bounded steps, so that claims do not have to. Its progress is only in
 * memory: after a crash the claims park what is left, each send when they meet it.
 */
export class HoldParking {
  readonly #db: Queryable;
  readonly #scans: { accountId: string; after: string }[] = [];

  constructor(db: Queryable) {
    this.#db = db;
  }

  add(accountId: string): void {
    this.#scans.push({ accountId, after: firstSend });
  }

  /** Stops after about `maxMs`, so that the next check of all accounts is not late. */
  async park(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs;
    for (let scan = this.#scans[0]; scan !== undefined && performance.now() < endsAt; scan = this.#scans[0]) {
      const { lastId } = await parkSome(this.#db, scan.accountId, scan.after);
      if (lastId === undefined) this.#scans.shift();
      else scan.after = lastId;
    }
  }
}
