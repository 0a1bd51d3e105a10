import { randomUUIDv7 } from "node:crypto";
import { expect, test, vi } from "vitest";
import { anAccount } from "../../../test/builders.ts";
import { costOf } from "../../../test/explain.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { aListener, notificationsOf } from "../../../test/webhook-builders.ts";
import { deliveryState, pendingDeliveries, queued } from "../../../test/webhook-fixture.ts";
import { bothModes } from "../../mode.ts";
import { deleteEndpoint } from "../delete-endpoint.ts";
import { fanOut } from "../fan-out.ts";
import { maxTaken, takeNotifications } from "./take-notifications.ts";

const database = useTestDatabase();

test("a take returns the notifications with the bytes of their envelopes, and ends their deliveries", async () => {
  const { db } = database;
  const listener = await aListener(db);
  const envelope = '{"type":"send.sent", "é": "\\u0000 \\" 𝄞"}';
  const [id = ""] = await pendingDeliveries(db, listener, { envelope });
  const { notifications } = await take(listener);
  const [stored] = await notificationsOf(db, listener.accountId);
  expect(notifications).toEqual([{ publicId: stored?.publicId, type: "send.sent", body: envelope }]);
  expect([await queued(db, id), await deliveryState(db, id)]).toEqual([undefined, "delivered"]);
  expect((await take(listener)).notifications).toEqual([]);
});

test("takes return at most 50 notifications each, oldest first, also those of one fan-out", async () => {
  const { db } = database;
  const listener = await aListener(db);
  await change(
    db,
    `insert into notifications (id, public_id, account_id, mode, type, occurred_at, facts)
     select new_id_at(now() + n * interval '1 millisecond'), gen_random_uuid(), $1, 'live', 'domain.verified', now(), '{"id": 1, "name": "acme.io"}'
     from generate_series(1, 120) as n`,
    [listener.accountId],
  );
  await fanOut(db, 200);
  const written = await change(db, "select public_id from notifications where account_id = $1 order by id", [
    listener.accountId,
  ]);
  const takes = [await take(listener), await take(listener), await take(listener), await take(listener)];
  expect(takes.map(({ notifications }) => notifications.length)).toEqual([50, 50, 20, 0]);
  const taken = takes.flatMap(({ notifications }) => notifications.map(({ publicId }) => publicId));
  expect(taken).toEqual(written.map(({ public_id }) => public_id));
});

test("a smaller limit takes fewer, and 0 none", async () => {
  const listener = await aListener(database.db);
  await pendingDeliveries(database.db, listener, { count: 3 });
  const counts = [];
  for (const limit of [0, 2, 0, 2]) counts.push((await take(listener, { limit })).notifications.length);
  expect(counts).toEqual([0, 2, 0, 1]);
});

test("of takes at the same time, each returns 50 notifications that no other one returns", async () => {
  const { db } = database;
  const listener = await aListener(db);
  await pendingDeliveries(db, listener, { count: 150 });
  let takes: ReturnType<typeof take>[] = [];
  await db.withTransaction(async (tx) => {
    const text = "select from webhook_endpoints where id = $1 for update";
    await tx.query({ name: "lock-listener", text, values: [listener.id] });
    takes = [take(listener), take(listener), take(listener)];
    // Each has its snapshot, unless it waits for the one before it.
    await vi.waitFor(async () => expect(await change(db, waitingStatements)).toHaveLength(takes.length), 10_000);
  });
  const taken = (await Promise.all(takes)).map(({ notifications }) => notifications.map(({ publicId }) => publicId));
  expect(taken.map(({ length }) => length)).toEqual([50, 50, 50]);
  expect(new Set(taken.flat()).size).toBe(150);
  const states = await change(db, "select distinct state from webhook_deliveries where endpoint_id = $1", [
    listener.id,
  ]);
  expect(states).toEqual([{ state: "delivered" }]);
});

test("only deliveries that are due and pending are taken", async () => {
  const { db } = database;
  const listener = await aListener(db);
  await pendingDeliveries(db, listener, { dueInSeconds: 60 });
  const [leased = ""] = await pendingDeliveries(db, listener);
  await change(db, "update webhook_queue set state = 'delivering' where delivery_id = $1", [leased]);
  expect((await take(listener)).notifications).toEqual([]);
});

test("a take extends the listener to 60 seconds from now", async () => {
  const { db } = database;
  const listener = await aListener(db, { seconds: 5 });
  const { listensUntil } = await take(listener);
  expect(Math.abs(Date.parse(listensUntil) - Date.now() - 60_000)).toBeLessThan(5_000);
  const [row] = await change(db, "select listens_until::text as text from webhook_endpoints where id = $1", [
    listener.id,
  ]);
  expect(Date.parse(String(row?.text))).toBe(Date.parse(listensUntil));
});

test("an expired listener, one of another account, of another mode, an endpoint and an unknown id are NOT_FOUND and keep what they have", async () => {
  const { db } = database;
  const expired = await aListener(db, { seconds: -1 });
  const live = await aListener(db);
  const endpoint = await aListener(db);
  await change(db, "update webhook_endpoints set listens_until = null where id = $1", [endpoint.id]);
  const other = await anAccount(db);
  for (const [listener, modes] of [
    [expired, bothModes],
    [{ ...live, accountId: other }, bothModes],
    [live, ["test"]],
    [endpoint, bothModes],
    [{ ...live, id: randomUUIDv7() }, bothModes],
  ] as const) {
    await pendingDeliveries(db, { ...listener, accountId: live.accountId });
    await expect(take(listener, { modes })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const rows = await change(db, "select from webhook_queue where endpoint_id = $1", [listener.id]);
    expect(rows.length).toBeGreaterThan(0);
  }
});

test("a deletion during takes and a fan-out leaves nothing in the queue", async () => {
  const { db } = database;
  for (let round = 0; round < 10; round++) {
    const listener = await aListener(db);
    await pendingDeliveries(db, listener, { count: 60 });
    const results = await Promise.allSettled([
      take(listener),
      deleteEndpoint(db.forAccount(listener.accountId), bothModes, listener.id),
      fanOut(db, 100),
      take(listener),
    ]);
    expect(results[1]?.status).toBe("fulfilled");
    expect(await change(db, "select from webhook_queue where endpoint_id = $1", [listener.id])).toEqual([]);
    await expect(take(listener)).rejects.toMatchObject({ code: "NOT_FOUND" });
  }
});

test("a take from a backlog of 20,000 reads as many rows as it returns", async () => {
  const { db } = database;
  const listener = await aListener(db);
  await change(
    db,
    `insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, due_at)
     select new_id_at(now()), $1, $2, new_id_at(now()), now() - (20000 - n) / 100 * interval '1 s'
     from generate_series(1, 20000) as n`,
    [listener.accountId, listener.id],
  );
  for (let execution = 0; execution < 7; execution++) await take(listener);
  const account = db.forAccount(listener.accountId);
  const taking = { modes: bothModes, listenerId: listener.id, limit: maxTaken };
  expect((await costOf(account, (watched) => takeNotifications(watched, taking))).rowsRead).toBeLessThan(1_000);
});

const waitingStatements =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

interface Options {
  modes?: readonly ("live" | "test")[];
  limit?: number;
}

function take({ id, accountId }: { id: string; accountId: string }, options: Options = {}) {
  const { modes = bothModes, limit = maxTaken } = options;
  return takeNotifications(database.db.forAccount(accountId), { modes, listenerId: id, limit });
}
