import { expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import {
  aFailure,
  aWebhookEndpoint,
  claimUpTo,
  deliveryState,
  endpointState,
  pendingDeliveries,
  queued,
  resultOf,
  useEmptyWebhooks,
} from "../../test/webhook-fixture.ts";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { disableFailing, disableGone } from "./endpoint-health.ts";
import { cancelDeliveries, pauseDeliveries, resumeDeliveries } from "./follow-endpoints.ts";
import { failOldDeliveries } from "./old-deliveries.ts";
import { settleDeliveries } from "./settle-deliveries.ts";
import { webhookChores } from "./webhook-chores.ts";

const database = useTestDatabase();
useEmptyWebhooks(database);

test.for([
  ["five days and ten lost deliveries", 5 * 24 + 1, 10, "failing"],
  ["less than five days", 5 * 24 - 1, 10, null],
  ["nine lost deliveries", 5 * 24 + 1, 9, null],
] as const)("an endpoint that fails for %s", async ([, hours, failedDeliveries, reason]) => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await change(
    db,
    "update webhook_endpoints set failing_since = now() - make_interval(hours => $2), failed_deliveries = $3 where id = $1",
    [endpoint.id, hours, failedDeliveries],
  );
  expect(await disableFailing(db)).toEqual(reason === null ? [] : [endpoint]);
  expect(await endpointState(db, endpoint.id)).toMatchObject({ disabled_reason: reason });
  expect(await disableFailing(db)).toEqual([]);
});

test("a 410 disables the endpoint whose URL gave it, once, and no endpoint with another URL", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db, { url: "https://new.example.test/" });
  expect(await disableGone(db, endpoint.id, "https://old.example.test/")).toBe(false);
  expect(await disableGone(db, endpoint.id, "https://new.example.test/")).toBe(true);
  expect(await disableGone(db, endpoint.id, "https://new.example.test/")).toBe(false);
  expect(await endpointState(db, endpoint.id)).toMatchObject({ disabled_reason: "gone" });
});

test("deliveries of a disabled endpoint pause in bounded steps and resume with their attempts when it is enabled", async () => {
  const { db } = database;
  const [disabled, working] = [await aWebhookEndpoint(db), await aWebhookEndpoint(db)];
  const ids = await pendingDeliveries(db, disabled, { count: 5, attempt: 3 });
  const [untouched = ""] = await pendingDeliveries(db, working);
  await disable(disabled.id);
  expect([await pauseDeliveries(db, 3), await pauseDeliveries(db, 3), await pauseDeliveries(db, 3)]).toEqual([3, 2, 0]);
  expect(await queued(db, ids[0] ?? "")).toBe("paused 3 0");
  expect(await queued(db, untouched)).toBe("pending 0 0");
  expect(await resumeDeliveries(db, 10)).toBe(0);
  await change(db, "update webhook_endpoints set disabled_at = null, disabled_reason = null");
  expect([await resumeDeliveries(db, 3), await resumeDeliveries(db, 3), await resumeDeliveries(db, 3)]).toEqual([
    3, 2, 0,
  ]);
  const claimed = await claimUpTo(db, 10);
  expect(claimed.filter(({ endpointId }) => endpointId === disabled.id).map(({ attempt }) => attempt)).toEqual([
    4, 4, 4, 4,
  ]);
});

test("a delivery in flight while its endpoint is disabled pauses when it is settled", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  const [id = ""] = await pendingDeliveries(db, endpoint);
  const [claimed] = await claimUpTo(db, 1);
  await disable(endpoint.id);
  expect(await pauseDeliveries(db, 10)).toBe(0);
  if (claimed !== undefined) await settleDeliveries(db, [resultOf(claimed, aFailure)]);
  expect(await queued(db, id)).toBe("paused 1 60");
});

test("pending and paused deliveries of a deleted endpoint are cancelled", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  const [pending = "", paused = ""] = await pendingDeliveries(db, endpoint, { count: 2 });
  await change(db, "update webhook_queue set state = 'paused' where delivery_id = $1", [paused]);
  expect(await cancelDeliveries(db, 10)).toBe(0);
  await change(db, "delete from webhook_endpoints");
  expect(await cancelDeliveries(db, 10)).toBe(2);
  for (const id of [pending, paused]) {
    expect([await queued(db, id), await deliveryState(db, id)]).toEqual([undefined, "cancelled"]);
  }
});

test("a delivery that is still paused after 30 days fails, so that its week can be dropped", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  const [recent = ""] = await pendingDeliveries(db, endpoint);
  const [old] = await change(
    db,
    `with added as (
      insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type)
      select new_id_at(now() - interval '31 days'), account_id, endpoint_id, notification_id, public_id, type from webhook_deliveries
      returning id, account_id, endpoint_id, notification_id
    )
    insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, state)
    select id, account_id, endpoint_id, notification_id, 'paused' from added
    returning delivery_id as id`,
  );
  expect([await failOldDeliveries(db, 10), await failOldDeliveries(db, 10)]).toEqual([1, 0]);
  expect(await deliveryState(db, String(old?.id))).toBe("failed");
  expect(await queued(db, recent)).toBe("pending 0 0");
});

test("the chore disables an endpoint that keeps failing and pauses its deliveries", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  const [id = ""] = await pendingDeliveries(db, endpoint);
  await change(db, "update webhook_endpoints set failing_since = now() - interval '6 days', failed_deliveries = 12");
  const [chore] = webhookChores({ db, log: createLog("silent"), metrics: createMetrics() });
  await chore?.run();
  expect(await endpointState(db, endpoint.id)).toMatchObject({ disabled_reason: "failing" });
  expect(await queued(db, id)).toBe("paused 0 0");
});

async function disable(endpointId: string): Promise<void> {
  await change(
    database.db,
    "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user' where id = $1",
    [endpointId],
  );
}
