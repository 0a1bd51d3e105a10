import { storeSentSends } from "../../service/proofs/sends/sent-sends.ts";
import { deliveryOf } from "../../service/proofs/webhooks/reported-sends.ts";
import type { Database } from "../../service/src/db/database.ts";
import { applyFeedback } from "../../service/src/feedback/apply-feedback.ts";

const batchSize = 500;
/** The size of an envelope of `send.delivered`. */
const bodyBytes = 560;

/** Reports mails as delivered: each has a notification that no worker has seen yet. */
export async function reportDeliveries(db: Database, accountId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= batchSize) {
    const mails = await storeSentSends(db, { accountId, count: Math.min(left, batchSize) });
    await applyFeedback(db, mails.map(deliveryOf), Date.now());
  }
}

export async function fillBaseline(db: Database, count: number): Promise<void> {
  await db.query({
    name: "make-baseline-webhooks",
    text: `
      create table if not exists baseline_webhooks (
        id uuid primary key,
        state text not null,
        body text not null,
        delivered_at timestamptz
      )`,
  });
  await db.query({
    name: "index-baseline-webhooks",
    text: "create index if not exists baseline_webhooks_idx on baseline_webhooks (id) where state = 'pending'",
  });
  await db.query({
    name: "fill-baseline-webhooks",
    text: `
      insert into baseline_webhooks (id, state, body)
      select new_id_at(clock_timestamp()), 'pending', '{"data":"' || repeat('x', $2::integer) || '"}'
      from generate_series(1, $1::integer)`,
    values: [count, bodyBytes],
  });
}
