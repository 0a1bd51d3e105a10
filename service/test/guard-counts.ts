import type { Database } from "../src/db/database.ts";
import type { GuardCounts } from "../src/guard/limits.ts";
import { change } from "./send-rows.ts";

/** Adds counts of a day, as the fold of the usage deltas does. */
export async function addGuardCounts(
  db: Database,
  accountId: string,
  {
    outcomes = 0,
    hardBounces = 0,
    complaints = 0,
    daysAgo = 0,
    epoch,
  }: Partial<GuardCounts> & { daysAgo?: number; epoch?: number },
): Promise<void> {
  await change(
    db,
    `insert into guard_counts as g (account_id, epoch, day, outcomes, hard_bounces, complaints)
     select id, coalesce($6, guard_epoch), (now() at time zone 'utc')::date - $5::integer, $2, $3, $4
     from accounts
     where id = $1
     on conflict (account_id, epoch, day) do update
     set outcomes = g.outcomes + excluded.outcomes, hard_bounces = g.hard_bounces + excluded.hard_bounces,
         complaints = g.complaints + excluded.complaints`,
    [accountId, outcomes, hardBounces, complaints, daysAgo, epoch ?? null],
  );
}
