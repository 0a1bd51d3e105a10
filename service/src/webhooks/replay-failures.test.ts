import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aDelivery, anEndpoint } from "../../test/webhook-builders.ts";
import { advanceReplay } from "./advance-replay.ts";
import { getReplay } from "./list-replays.ts";
import { replayDelivery } from "./replay-delivery.ts";
import { startReplay } from "./start-replay.ts";

const database = useTestDatabase();
const modes = ["live", "test"] as const;

test("a replay of what failed sends failed deliveries again, attempts waiting ones now, and leaves all others", async () => {
  const { accountId, endpointId, made, replay, queuedNow } = await anOutage();
  const failed = await made({ state: "failed", hoursAgo: 5 });
  const waiting = await made({ state: "pending", attempts: 3, hoursAgo: 4 });
  await made({ state: "pending", hoursAgo: 4 });
  await made({ state: "delivered", hoursAgo: 4 });
  await made({ state: "cancelled", hoursAgo: 4 });
  await made({ state: "failed", hoursAgo: 4, envelope: null });
  await made({ state: "failed", hoursAgo: 30 });
  await made({ state: "failed", hoursAgo: 0 });
  const other = await anEndpoint(database.db, { accountId });
  await aDelivery(database.db, { accountId, endpointId: other, state: "failed", hoursAgo: 4 });

  expect(await replay(2)).toMatchObject({ state: "done", progress: 1, deliveries: 2, isOnlyFailed: true });
  const replays = await change(
    database.db,
    "select notification_id, send_id from webhook_deliveries where endpoint_id = $1 and is_replay",
    [endpointId],
  );
  expect(replays).toEqual(
    await change(database.db, "select notification_id, send_id from webhook_deliveries where id = $1", [failed]),
  );
  expect(await queuedNow(waiting)).toBe(true);
});

test("a second replay, or one after the replay of a single delivery, sends nothing twice", async () => {
  const { accountId, endpointId, made, replay } = await anOutage();
  const first = await made({ state: "failed", hoursAgo: 5 });
  await made({ state: "failed", hoursAgo: 4 });
  await replayDelivery(database.db.forAccount(accountId), { modes, endpointId, id: first });
  expect(await replay()).toMatchObject({ deliveries: 1 });
  expect(await replay()).toMatchObject({ deliveries: 0 });
});

test("a delivery whose replay failed too is sent again once", async () => {
  const { made, replay } = await anOutage();
  const sendId = randomUUIDv7();
  const first = await made({ state: "failed", hoursAgo: 5, sendId });
  const again = await made({ state: "failed", hoursAgo: 4, sendId });
  await change(
    database.db,
    `update webhook_deliveries d
     set is_replay = true, notification_id = f.notification_id, public_id = f.public_id
     from webhook_deliveries f
     where d.id = $2
       and f.id = $1`,
    [first, again],
  );
  expect(await replay()).toMatchObject({ deliveries: 1 });
});

test("it reads its range in steps, and progress says how far", async () => {
  const { accountId, endpointId, made } = await anOutage();
  for (const hoursAgo of [10, 8, 6, 4]) await made({ state: "failed", hoursAgo });
  const { id } = await start({ accountId, endpointId });
  await advanceReplay(database.db, 2);
  const halfway = await getReplay(database.db.forAccount(accountId), endpointId, id);
  expect(halfway).toMatchObject({ state: "running", deliveries: 2 });
  expect(halfway.progress).toBeGreaterThan(0.2);
  expect(halfway.progress).toBeLessThan(0.8);
});

/** From 24 hours ago to an hour ago. */
function start({ accountId, endpointId }: { accountId: string; endpointId: string }) {
  const [from, to] = [24, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString());
  const range = { from: from ?? "", to: to ?? "", isOnlyFailed: true };
  return startReplay(database.db.forAccount(accountId), { modes, endpointId }, range);
}

async function anOutage() {
  const { db } = database;
  const accountId = await anAccount(db);
  const endpointId = await anEndpoint(db, { accountId });
  return {
    accountId,
    endpointId,
    made: (options: Omit<Parameters<typeof aDelivery>[1], "accountId" | "endpointId">) =>
      aDelivery(db, { accountId, endpointId, sendId: randomUUIDv7(), ...options }),
    async replay(limit?: number) {
      const { id } = await start({ accountId, endpointId });
      while ((await advanceReplay(db, limit)) !== undefined);
      return getReplay(db.forAccount(accountId), endpointId, id);
    },
    async queuedNow(deliveryId: string) {
      const text = "select due_at <= now() as is_due from webhook_queue where delivery_id = $1";
      const [row] = await change(db, text, [deliveryId]);
      return row?.is_due;
    },
  };
}
