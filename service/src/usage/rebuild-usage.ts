import type { Database, Transaction } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { findOldestRecordAt } from "../storage/partitions.ts";
import { findDroppedBefore } from "../storage/record-retention.ts";
import { addNamedTags } from "./add-named-tags.ts";
import { addToHours, addToTagDays } from "./fold-usage.ts";
import { tagDifferenceSteps } from "./tag-differences.ts";
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
  /** Of a tag that can be counted by name and is not yet. */
  newTag: string | null;
}

const correctionSteps = `, hours as (${addToHours("difference")}
      ), keys as (
        insert into usage_key_hours as known (account_id, api_key_id, hour, sends, recipients)
        select $1, api_key_id, hour, sends, recipients
        from key_difference
        order by api_key_id, hour
        on conflict (account_id, api_key_id, hour) do update
        set sends = known.sends + excluded.sends, recipients = known.recipients + excluded.recipients
      ), tag_days as (${addToTagDays("tag_difference\n        where is_known or not is_named")}
      )`;

/**
 * Computes the usage of one day from the record, compares it with the counters, and corrects them if asked to. Comparison and correction
 * are one statement, and the correction only adds differences: sends and events that arrive meanwhile count themselves. A tag that was
 * never counted becomes one that is counted by name first, in a statement of its own, because folds wait for it. Returns undefined for a day whose sends or events the operator
 * may have detached or the retention may have dropped: its counters stay. The day of a large account takes longer than a request may, so `db` needs a long statement
 * timeout.
 */
export async function rebuildUsageDay(
  db: Database,
  usageDay: UsageDay,
  { isCorrected }: { isCorrected: boolean },
): Promise<UsageDifference[] | undefined> {
  const differences = await compareDay(db, usageDay, isCorrected);
  const newTags = new Set(differences?.flatMap(({ newTag }) => newTag ?? []));
  if (isCorrected && newTags.size > 0) {
    await addNamedTags(db, usageDay, [...newTags]);
    await compareDay(db, usageDay, isCorrected);
  }
  return differences;
}

function compareDay(db: Database, { accountId, mode, day }: UsageDay, isCorrected: boolean) {
  return db.withTransaction(async (tx) => {
    await lockRebuild(tx);
    await keepPartitions(tx);
    if (!(await hasRecordOf(tx, day))) return undefined;
    return tx.query<UsageDifference>({
      name: "rebuild-usage-day",
      text: `
      with ${differenceSteps}${tagDifferenceSteps}${isCorrected ? correctionSteps : ""}
      select hour_at(hour) as hour, domain, kind, amount, sends, content_bytes as "contentBytes", null as "newTag"
      from difference
      union all
      select hour, 'key ' || api_key_id, ${usageKinds.accepted}, recipients, sends, 0, null
      from key_difference
      union all
      select (select start from day), 'tag ' || tag, kind, amount, sends, 0, case when is_named and not is_known then tag end
      from tag_difference
      order by hour, domain, kind`,
      values: [accountId, mode, day],
      isPlannedEachTime: true,
    });
  });
}

/** Two corrections of the same day would both add the difference. The retention waits for it before it drops the next months. */
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
  const starts = [await findOldestRecordAt(tx), await findDroppedBefore(tx)].filter((start) => start !== undefined);
  return starts.every((start) => Date.parse(start) <= Date.parse(day) - idMarginMs);
}
