import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import type { Metrics } from "../metrics.ts";
import { disableFailing } from "./endpoint-health.ts";
import { cancelDeliveries, pauseDeliveries, resumeDeliveries } from "./follow-endpoints.ts";
import { deleteExpiredListeners } from "./listeners/expired-listeners.ts";
import { failOldDeliveries } from "./old-deliveries.ts";
import { deleteOldReplays } from "./old-replays.ts";

interface WebhookChoreDeps {
  db: Database;
  log: Log;
  metrics: Metrics;
}

const stepSize = 1_000;
/** Long before the chore's 10-minute limit. */
const maxMs = 60_000;

/**
 * Disables endpoints that keep failing, deletes listeners that have expired, moves the deliveries of disabled, enabled and deleted endpoints,
 * and ends what is too old.
 */
export function webhookChores(deps: WebhookChoreDeps): Chore[] {
  return [{ name: "follow-webhook-endpoints", pauseSeconds: 10, run: () => followEndpoints(deps) }];
}

async function followEndpoints({ db, log, metrics }: WebhookChoreDeps): Promise<void> {
  for (const { id, accountId } of await disableFailing(db)) {
    log.warn({ endpoint_id: id, account_id: accountId, reason: "failing" }, "webhook.endpoint-disabled");
  }
  const endsAt = performance.now() + maxMs;
  const inSteps = async (step: (db: Database, limit: number) => Promise<number>) => {
    let total = 0;
    for (let moved = stepSize; moved >= stepSize && performance.now() < endsAt; total += moved) {
      moved = await step(db, stepSize);
    }
    return total;
  };
  const paused = await inSteps(pauseDeliveries);
  const resumed = await inSteps(resumeDeliveries);
  const expired = await inSteps(deleteExpiredListeners);
  const cancelled = await inSteps(cancelDeliveries);
  const failed = await inSteps(failOldDeliveries);
  await inSteps(deleteOldReplays);
  metrics.webhookDeliveries.inc({ state: "cancelled" }, cancelled);
  metrics.webhookDeliveries.inc({ state: "failed" }, failed);
  if (paused + resumed + expired + cancelled + failed > 0) {
    log.info({ paused, resumed, expired_listeners: expired, cancelled, failed }, "webhooks.followed-endpoints");
  }
}
