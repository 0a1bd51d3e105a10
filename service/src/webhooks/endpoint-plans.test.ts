import { randomUUIDv7 } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { anEndpoint } from "../../test/webhook-builders.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import { getEndpoint, listEndpoints } from "./endpoint-store.ts";
import { cancelDeliveries } from "./follow-endpoints.ts";
import { getDelivery, listDeliveries } from "./list-deliveries.ts";

const database = useTestDatabase();
const modes = ["live", "test"] as const;
let [accountId, large, small] = ["", "", ""];
const sendId = randomUUIDv7();

/** One endpoint has 20,000 deliveries of today, half of them in the queue; another one of the same account has ten. */
beforeAll(async () => {
  const { db } = database;
  accountId = await anAccount(db);
  await stopAutovacuum(db, "webhook_deliveries");
  await stopAutovacuum(db, "webhook_attempts");
  await change(db, "alter table webhook_queue set (autovacuum_enabled = false)");
  [large, small] = [await anEndpoint(db, { accountId }), await anEndpoint(db, { accountId })];
  await change(
    db,
    `with given as (
       select n, new_id_at(now() - n * interval '1 s') as id, case when n % 2000 = 0 then $3::uuid else $2::uuid end as endpoint_id,
         n % 2 = 0 as is_queued
       from generate_series(20000, 1, -1) as n
     ), queued as (
       insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id)
       select id, $1, endpoint_id, id from given where is_queued
     )
     insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, state, finished_at, duration_ms, send_id)
     select id, $1, endpoint_id, id, id, 'send.sent', case when is_queued then 'pending' else 'delivered' end,
       case when not is_queued then now() end, case when not is_queued then 10 end,
       -- Each send has two deliveries.
       case when n in (5001, 5002) then $4 else ('00000000-0000-7000-8000-' || lpad((n / 2)::text, 12, '0'))::uuid end
     from given`,
    [accountId, large, small, sendId],
  );
});

describe.for(["without statistics", "with fresh statistics"])("%s", (statistics) => {
  beforeAll(async () => {
    if (statistics === "with fresh statistics") await change(database.db, "analyze webhook_deliveries, webhook_queue");
  });
  const db = () => database.db.forAccount(accountId);

  test("an endpoint reads the newest 5,000 deliveries and 1,000 that wait at most, and a list of two no more than that for each", async () => {
    const one = await costOf(db(), (watched) => getEndpoint(watched, modes, large));
    expect(one.rowsRead).toBeLessThanOrEqual(7_000);
    const all = await costOf(db(), (watched) => listEndpoints(watched, modes));
    expect(all.rowsRead).toBeLessThanOrEqual(7_200);
  });

  test("a page of deliveries reads as many rows as it shows, and one delivery a few", async () => {
    const page = { limit: 10 };
    const { rowsRead } = await costOf(db(), (watched) => listDeliveries(watched, large, page));
    expect(rowsRead).toBeLessThanOrEqual(100);
    const { deliveries } = await listDeliveries(db(), large, page);
    const id = deliveries[0]?.id ?? randomUUIDv7();
    expect((await costOf(db(), (watched) => getDelivery(watched, large, id))).rowsRead).toBeLessThanOrEqual(20);
  });

  test("a page of a time range reads as many rows as it shows, and so does one of the deliveries of a send", async () => {
    const until = new Date(Date.now() - 15_000_000).toISOString();
    const since = new Date(Date.now() - 16_000_000).toISOString();
    const range = await costOf(db(), (watched) => listDeliveries(watched, large, { since, until, limit: 10 }));
    expect(range.rowsRead).toBeLessThanOrEqual(100);
    const { deliveries } = await listDeliveries(db(), large, { sendId, limit: 10 });
    expect(deliveries).toHaveLength(2);
    for (const filter of [{}, { state: "failed" } as const]) {
      const ofSend = await costOf(db(), (watched) => listDeliveries(watched, large, { ...filter, sendId, limit: 10 }));
      expect(ofSend.rowsRead).toBeLessThanOrEqual(30);
    }
  });

  test("a change of an endpoint with few deliveries does not read those of another", async () => {
    for (const isEnabled of [false, true]) {
      const { rowsRead } = await costOf(db(), (watched) => changeEndpoint(watched, modes, small, { isEnabled }));
      expect(rowsRead).toBeLessThanOrEqual(150);
    }
  });
});

test("the deletion of an endpoint with 10,000 deliveries in the queue cancels all of them, the first at once and the rest in steps", async () => {
  await deleteEndpoint(database.db.forAccount(accountId), modes, large);
  expect(await cancelDeliveries(database.db, 1_000)).toBe(1_000);
  while ((await cancelDeliveries(database.db, 1_000)) > 0);
  const [left] = await change(
    database.db,
    "select count(*) filter (where state = 'cancelled') as cancelled, count(*) filter (where state = 'pending') as pending from webhook_deliveries where endpoint_id = $1",
    [large],
  );
  expect(left).toEqual({ cancelled: 9_990, pending: 0 });
});
