import { expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aWebhookEndpoint, pendingDeliveries, useEmptyWebhooks } from "../../test/webhook-fixture.ts";
import { AppError } from "../errors.ts";
import { createMetrics } from "../metrics.ts";
import { measureWebhooks } from "./measure-webhooks.ts";

const database = useTestDatabase();
useEmptyWebhooks(database);

test("metrics report the longest waits of notifications, and of due deliveries by the health of their endpoint", async () => {
  const { db } = database;
  expect(await waits()).toEqual({ notification: 0, working: 0, failing: 0 });
  const [working, failing, disabled] = [
    await aWebhookEndpoint(db),
    await aWebhookEndpoint(db, { isFailing: true }),
    await aWebhookEndpoint(db),
  ];
  await pendingDeliveries(db, working, { dueInSeconds: -50 });
  await pendingDeliveries(db, working, { dueInSeconds: 5_000 });
  await pendingDeliveries(db, failing, { dueInSeconds: -700 });
  await pendingDeliveries(db, disabled, { dueInSeconds: -9_000 });
  await change(db, "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user' where id = $1", [
    disabled.id,
  ]);
  await change(
    db,
    `insert into notifications (id, public_id, account_id, mode, type, occurred_at)
    values (new_id_at(now() - interval '20 seconds'), gen_random_uuid(), $1, 'live', 'send.sent', now())`,
    [working.accountId],
  );
  expect(await waits()).toEqual({ notification: 20, working: 50, failing: 700 });
});

test("while the database is unavailable, this metric is missing and all others are served", async () => {
  const metrics = createMetrics();
  measureWebhooks(metrics, { query: () => Promise.reject(new AppError("UNAVAILABLE", "gone")) });
  const text = await metrics.registry.metrics();
  expect(text).not.toContain("postern_webhook_backlog_seconds{");
  expect(text).toContain("process_cpu_seconds_total");
});

async function waits(): Promise<Record<string, number>> {
  const metrics = createMetrics();
  measureWebhooks(metrics, database.db);
  const text = await metrics.registry.metrics();
  const found = text.matchAll(/^postern_webhook_backlog_seconds\{waiting="(\w+)"\} (\S+)$/gm);
  return Object.fromEntries([...found].map(([, waiting, seconds]) => [waiting, Math.round(Number(seconds) / 10) * 10]));
}
