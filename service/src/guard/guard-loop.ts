import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import { startTicker } from "../loops/ticker.ts";
import { foldUsageDeltas } from "../usage/fold-usage.ts";
import { checkAccounts } from "./check-accounts.ts";
import { HoldParking } from "./hold-parking.ts";

interface GuardDeps {
  db: Queryable;
  log: Log;
}

const roundSeconds = 2;
const tickMs = 500;
const foldSize = 5_000;
const maxFoldMs = 1_000;
const checkSize = 1_000;
const maxParkMs = 1_000;

/**
 * Holds accounts whose mail endangers the SES account. Every worker runs this loop, and one of them does each round. A worker that is
 * killed in the middle delays the guard by two seconds: every step of a round commits whole or not at all, and may run again or
 * beside another one.
 */
export function startGuard(deps: GuardDeps): { stop(): Promise<void> } {
  const parking = new HoldParking(deps.db);
  /** After a round of this process the next one cannot be due earlier. */
  let notBefore = Number.NEGATIVE_INFINITY;
  return startTicker({
    pauseMs: tickMs,
    run: async () => {
      const now = performance.now();
      if (now >= notBefore && (await beginRound(deps.db))) {
        notBefore = now + roundSeconds * 1_000;
        await runRound(deps, parking);
      }
      await parking.park(maxParkMs);
    },
    onFailure: (err) => deps.log.error({ err }, "guard.round-failed"),
  });
}

/** Returns true for one process every two seconds. A time far ahead is not ours: the clock of the server was set back. */
export async function beginRound(db: Queryable): Promise<boolean> {
  const rows = await db.query({
    name: "begin-guard-round",
    text: `
      update guard_rounds
      set began_at = now()
      where began_at <= now() - make_interval(secs => $1) or began_at > now() + interval '1 minute'
      returning began_at`,
    values: [roundSeconds],
  });
  return rows.length > 0;
}

/** Counts the newest outcomes, then checks every account that has new ones. */
export async function runRound({ db, log }: GuardDeps, parking: Pick<HoldParking, "add">): Promise<void> {
  const foldUntil = performance.now() + maxFoldMs;
  while ((await foldUsageDeltas(db, foldSize)) === foldSize && performance.now() < foldUntil);
  for (let after: string | undefined; ; ) {
    const { held, lastAccountId } = await checkAccounts(db, { ...(after && { after }), maxCounts: checkSize });
    for (const { accountId, reason } of held) {
      log.warn({ account_id: accountId, reason }, "guard.account-held");
      parking.add(accountId);
    }
    if (lastAccountId === undefined) return;
    after = lastAccountId;
  }
}
