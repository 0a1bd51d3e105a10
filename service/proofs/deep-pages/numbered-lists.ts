import type { ProofTools } from "../../../scripts/proof.ts";
import type { Database } from "../../src/db/database.ts";
import { foldListChanges } from "../../src/db/list-counts.ts";

/**
 * Lists whose entries have numbers, newest first from 0, in their addresses. The number decides the type and the mode, so the entries
 * of every page are known without reading the list.
 */
/** Small enough for the time limit of a statement on a busy machine. */
const batchSize = 5_000;
const batchesPerVacuum = 80;

export const bouncesIn = 10;

/** Events of 40 days. Every tenth event arrives within two hours of one day, as after a large mailing. */
export async function storeEvents(db: Database, accountId: string, count: number, progress: ProofTools["progress"]) {
  await inBatches(db, "events", count, progress, (from, to, newestAt) =>
    db.query({
      name: "store-numbered-events",
      text: `
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype)
        select new_id_at(at), gen_random_uuid(), $1, case when number % 3 = 0 then 'test' else 'live' end,
          case when is_bounce then 'Bounce' else 'Delivery' end, at, 'to-' || number || '@example.test',
          case when is_bounce then 'Transient' end, case when is_bounce then 'General' end
        from generate_series($2::bigint, $3::bigint - 1) as number
        cross join lateral (
          select number % ${bouncesIn} = 0 as is_bounce, $5::timestamptz - make_interval(secs =>
            (least(number, $4 * 0.4) + greatest(number - $4 * 0.5, 0)) * 40 * 86400 / ($4 * 0.9)
            + least(greatest(number - $4 * 0.4, 0), $4 * 0.1) * 7200 / ($4 * 0.1)) as at
        ) as event`,
      values: [accountId, from, to, count, newestAt],
    }),
  );
}

/** Suppressions of 300 days. */
export async function storeSuppressions(
  db: Database,
  accountId: string,
  count: number,
  progress: ProofTools["progress"],
) {
  await inBatches(db, "suppressions", count, progress, (from, to, newestAt) =>
    db.query({
      name: "store-numbered-suppressions",
      text: `
        insert into suppressions (id, account_id, mode, email, reason, suppressed_at)
        select new_id_at(at), $1, case when number % 3 = 0 then 'test' else 'live' end, 'to-' || number || '@example.test',
          'complaint', at
        from generate_series($2::bigint, $3::bigint - 1) as number
        cross join lateral (select $5::timestamptz - make_interval(secs => number * 300 * 86400.0 / $4) as at) as entry`,
      values: [accountId, from, to, count, newestAt],
    }),
  );
}

async function inBatches(
  db: Database,
  table: "events" | "suppressions",
  count: number,
  progress: ProofTools["progress"],
  store: (from: number, to: number, newestAt: string) => Promise<unknown>,
): Promise<void> {
  const newestAt = new Date().toISOString();
  for (let from = 0, batch = 1; from < count; from += batchSize, batch++) {
    await store(from, Math.min(count, from + batchSize), newestAt);
    progress(`${from} of ${count} ${table} stored`);
    const isLast = from + batchSize >= count;
    // As autovacuum does while a list grows. A vacuum of the whole table would exceed the time limit of a statement.
    if (isLast || batch % batchesPerVacuum === 0)
      await db.query({ name: `vacuum-${table}`, text: `vacuum (analyze) ${table}` });
  }
  while ((await foldListChanges(db, 1_000)) > 0);
}

/** The number of the entry at this position of the list, or of the list of bounces. */
export function numberAt(position: number, type: "Bounce" | "Delivery" | undefined): number {
  switch (type) {
    case undefined:
      return position;
    case "Bounce":
      return position * bouncesIn;
    case "Delivery":
      return Math.floor(position / (bouncesIn - 1)) * bouncesIn + (position % (bouncesIn - 1)) + 1;
  }
}
