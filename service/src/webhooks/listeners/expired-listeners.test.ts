import { expect, test } from "vitest";
import { auditRows } from "../../../test/audit-rows.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { aListener } from "../../../test/webhook-builders.ts";
import {
  aWebhookEndpoint,
  claimUpTo,
  deliveryState,
  pendingDeliveries,
  queued,
  useEmptyWebhooks,
} from "../../../test/webhook-fixture.ts";
import { createLog } from "../../log.ts";
import { createMetrics } from "../../metrics.ts";
import { readBacklog } from "../read-backlog.ts";
import { webhookChores } from "../webhook-chores.ts";

const database = useTestDatabase();
useEmptyWebhooks(database);

test("the chore deletes expired listeners, cancels their deliveries and says so in the audit; others stay", async () => {
  const { db } = database;
  const [expired, current] = [await aListener(db, { seconds: -1 }), await aListener(db, { seconds: 5 })];
  const endpoint = await aWebhookEndpoint(db);
  const [lost = ""] = await pendingDeliveries(db, expired);
  const [kept = ""] = await pendingDeliveries(db, current);
  await runChore();
  const left = await change(db, "select id from webhook_endpoints order by id");
  expect(left).toEqual([current, endpoint].map(({ id }) => ({ id })).toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  expect([await queued(db, lost), await deliveryState(db, lost)]).toEqual([undefined, "cancelled"]);
  expect(await queued(db, kept)).toBe("pending 0 0");
  const entries = await auditRows(db, expired.accountId, "webhook.delete");
  expect(entries).toMatchObject([{ actor_kind: "system", target_id: expired.id, target_name: "postern listen" }]);
});

test("the chore cancels the whole backlog of an expired listener, however long it is", async () => {
  const { db } = database;
  const expired = await aListener(db, { seconds: -1 });
  await pendingDeliveries(db, expired, { count: 1_200 });
  await runChore();
  expect(await change(db, "select from webhook_queue")).toEqual([]);
});

test("no claim takes a delivery of a listener, and it does not count as a backlog of the workers", async () => {
  const { db } = database;
  const [listener, endpoint] = [await aListener(db), await aWebhookEndpoint(db)];
  const [waiting = ""] = await pendingDeliveries(db, listener, { dueInSeconds: -100 });
  const [due = ""] = await pendingDeliveries(db, endpoint, { dueInSeconds: -10 });
  expect((await readBacklog(db)).working).toBeLessThan(50);
  expect((await claimUpTo(db, 10)).map(({ id }) => id)).toEqual([due]);
  expect(await queued(db, waiting)).toBe("pending 0 -100");
});

async function runChore(): Promise<void> {
  const [chore] = webhookChores({ db: database.db, log: createLog("silent"), metrics: createMetrics() });
  await chore?.run();
}
