import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { foldTaggedDeltas, foldUsageDeltas } from "../../usage/fold-usage.ts";

const batchSize = 2_000;
const taggedBatchSize = 200;
/** Other processes fold too, and have the rows that they fold for a moment. */
const pauseMs = 20;

/** Folds deltas in the source until none of the account is left. Only for a frozen account, which gets no new ones. */
export async function foldUsageOfAccount(source: Database, accountId: string, maxMs = 10_000): Promise<void> {
  const endsAt = performance.now() + maxMs;
  while (await hasDeltas(source, accountId)) {
    if (performance.now() > endsAt) {
      throw new AppError(
        "UNAVAILABLE",
        "The source has not counted the usage of the account yet. Run the command again.",
      );
    }
    const folded = (await foldUsageDeltas(source, batchSize)) + (await foldTaggedDeltas(source, taggedBatchSize));
    if (folded === 0) await sleep(pauseMs);
  }
}

/** The table has the changes of the last seconds only. */
async function hasDeltas(source: Database, accountId: string): Promise<boolean> {
  const [row] = await source.query<{ found: boolean }>({
    name: "has-usage-deltas",
    text: `
      select exists (select from usage_deltas where account_id = $1) as found`,
    values: [accountId],
  });
  return row?.found ?? false;
}
