import type { Database, Transaction } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { findOldestRecordAt } from "../storage/partitions.ts";
import { addToHours } from "./fold-usage.ts";
import { differenceSteps } from "./usage-differences.ts";
import { usageKinds } from "./usage-kinds.ts";

export interface UsageDay {
  accountId: string;
  mode: Mode;
  /** The start of the day in UTC. */
  day: string;
}

/** A counter that differs from what the record says. `amount`: recipients. */
export interface UsageDifference {
  hour: string;
  domain: string;
  kind: number;
  /** What is missing in the counters; negative when they have too much. */
  amount: number;
  sends: number;
  contentBytes: number;
}

const correctionSteps = `, hours as (${addToHours("difference")}
      ), keys as (
        insert into usage_key_hours as known (account_id, api_key_id, hour, sends, recipients)
        select $1, api_key_id, hour, sends, recipients
        from key_difference
        order by api_key_id, hour
        on conflict (account_id, api_key_id, hour) do update
        set sends = known.sends + excluded.sends, recipients = known.recipients + excluded.recipients
      )`;

/**
 * Computes the usage of one day from the record, compares it with the counters, and corrects them if asked to. Comparison and correction
 * are one statement, and the correction only adds differences: sends and events that arrive meanwhile count themselves. Returns undefined
 * for a day whose sends or events the operator may have detached: its counters stay. The day of a large account takes longer than a
 * request may, so `db` needs a long statement timeout.
 */
export function rebuildUsageDay(
  db: Database,
  { accountId, mode, day }: UsageDay,
  { isCorrected }: { isCorrected: boolean },
): Promise<UsageDifference[] | undefined> {
  return db.withTransaction(async (tx) => {
    await lockRebuild(tx);
    await keepPartitions(tx);
    if (!(await hasRecordOf(tx, day))) return undefined;
    return tx.query<UsageDifference>({
      name: "rebuild-usage-day",
      text: `
      with ${differenceSteps}${isCorrected ? correctionSteps : ""}
      select hour_at(hour) as hour, domain, kind, amount, sends, content_bytes as "contentBytes"
      from difference
      union all
      select hour, 'key ' || api_key_id, ${usageKinds.accepted}, recipients, sends, 0
      from key_difference
      order by hour, domain, kind`,
      values: [accountId, mode, day],
      isPlannedEachTime: true,
    });
  });
}

/** Two corrections of the same day would both add the difference. */
async function lockRebuild(tx: Transaction): Promise<void> {
  await tx.query({
    name: "lock-rebuild",
    text: `select pg_advisory_xact_lock(hashtextextended('rebuild usage', 0))`,
  });
}

/** Until the transaction ends, so that nobody detaches a partition between the check and the comparison. */
async function keepPartitions(tx: Transaction): Promise<void> {
  await tx.query({ name: "keep-partitions", text: `lock table only sends, only events in access share mode` });
}

/** A send that was accepted at the start of the day can have an id from shortly before it, in the partition before. */
const idMarginMs = 3_600_000;

async function hasRecordOf(tx: Transaction, day: string): Promise<boolean> {
  const oldestAt = await findOldestRecordAt(tx);
  return oldestAt === undefined || Date.parse(oldestAt) <= Date.parse(day) - idMarginMs;
}
