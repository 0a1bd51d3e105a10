import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import { firstSend, parkSome } from "../queue/parked-sends.ts";
import { checkAccounts } from "./check-accounts.ts";
import { dropOldGuardCounts } from "./guard-store.ts";

interface GuardDeps {
  db: Queryable;
  log: Log;
}

const checkSize = 1_000;
const dropSize = 5_000;
const maxParkMs = 2_000;
const maxDropMs = 60_000;

/** Holds accounts whose mail endangers the SES account, and deletes the counts that no longer matter. */
export function guardChores({ db, log }: GuardDeps): Chore[] {
  const parking = new HoldParking(db);
  return [
    {
      name: "check-accounts",
      pauseSeconds: 2,
      run: async () => {
        for (let after: string | undefined; ; ) {
          const { held, lastAccountId } = await checkAccounts(db, { ...(after && { after }), maxCounts: checkSize });
          for (const { accountId, reason } of held) {
            log.warn({ account_id: accountId, reason }, "guard.account-held");
            parking.add(accountId);
          }
          if (lastAccountId === undefined) break;
          after = lastAccountId;
        }
        await parking.park(maxParkMs);
      },
    },
    {
      name: "drop-old-guard-counts",
      pauseSeconds: 3_600,
      run: async () => {
        const endsAt = performance.now() + maxDropMs;
        while (performance.now() < endsAt && (await dropOldGuardCounts(db, dropSize)) === dropSize);
      },
    },
  ];
}

/**
 * Parks the queued mail of accounts that were just held, in bounded steps, so that claims do not have to. Its progress is only in
 * memory: after a crash the claims park what is left, each send when they meet it.
 */
class HoldParking {
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
