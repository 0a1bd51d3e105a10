import type { Queryable } from "../db/database.ts";
import { soonerAttemptSeconds } from "./attempt-schedule.ts";
import { type SettledState, settleDeliveries, unknownFailure } from "./settle-deliveries.ts";

const batchSize = 500;

/**
 * Settles attempts whose lease expired: the worker crashed, hangs or lost the database. They count as attempts, so that a delivery that
 * crashes workers ends. Serves all accounts. Every worker runs it; the fence lets one of them move a delivery. Returns the new states.
 */
export async function settleExpiredLeases(db: Queryable): Promise<SettledState[]> {
  const expired = await db.query<ExpiredRow>({
    name: "list-expired-webhook-leases",
    text: `
      select delivery_id as "deliveryId", account_id as "accountId", endpoint_id as "endpointId", attempt,
        attempted_at::text as "attemptedAt"
      from webhook_queue
      where state = 'delivering'
        and due_at < now()
      order by endpoint_id, due_at
      limit $1`,
    values: [batchSize],
  });
  if (expired.length === 0) return [];
  const settled = expired.map((lease) => ({
    ...lease,
    failure: unknownFailure,
    delaySeconds: soonerAttemptSeconds(lease.attempt),
    kind: "unknown" as const,
  }));
  // crash point: webhook-leases-expired
  return settleDeliveries(db, settled);
}

interface ExpiredRow {
  deliveryId: string;
  accountId: string;
  endpointId: string;
  attempt: number;
  attemptedAt: string;
}
