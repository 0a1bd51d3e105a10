import { expect, test, vi } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import {
  aWebhookEndpoint,
  claimUpTo,
  pendingDeliveries,
  queued,
  resultOf,
  useEmptyWebhooks,
} from "../../test/webhook-fixture.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { settleDeliveries } from "./settle-deliveries.ts";

const database = useTestDatabase();
useEmptyWebhooks(database);
vi.setConfig({ testTimeout: 60_000 });

test("a claim returns everything that an attempt needs, and leases the delivery for 30 seconds", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db, { url: "https://a.example.test/hook" });
  const [id = ""] = await pendingDeliveries(db, endpoint, { envelope: '{"type":"send.sent","é":1}' });
  const before = Math.floor(Date.now() / 1000);
  const [claimed, ...others] = await claimUpTo(db, 10);
  expect(others).toEqual([]);
  expect(claimed).toEqual({
    id,
    accountId: endpoint.accountId,
    endpointId: endpoint.id,
    attempt: 1,
    attemptedAt: expect.stringContaining("+00"),
    timestamp: expect.any(Number),
    url: "https://a.example.test/hook",
    publicId: (await change(db, "select public_id from webhook_deliveries where id = $1", [id]))[0]?.public_id,
    envelope: '{"type":"send.sent","é":1}',
    sealedSecrets: [Buffer.from("secret")],
    allowedNetworks: [],
  });
  expect(claimed?.timestamp).toBeGreaterThanOrEqual(before - 1);
  expect(await queued(db, id)).toBe("delivering 1 30");
  expect(await claimUpTo(db, 10)).toEqual([]);
});

test("the newest secret and those that have not expired come with a claim, and no others", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db, { sealedSecrets: [] });
  const add = (sealed: string, expires: string) =>
    change(
      db,
      `insert into webhook_secrets (id, endpoint_id, account_id, sealed, expires_at)
      values (gen_random_uuid(), $1, $2, $3, ${expires})`,
      [endpoint.id, endpoint.accountId, Buffer.from(sealed)],
    );
  await add("old", "now() - interval '1 second'");
  await add("second", "now() + interval '1 hour'");
  await add("newest", "null");
  await pendingDeliveries(db, endpoint);
  const [claimed] = await claimUpTo(db, 1);
  expect(claimed?.sealedSecrets.map(String)).toEqual(["newest", "second"]);
});

test("an endpoint has four deliveries in flight, and one while it fails", async () => {
  const { db } = database;
  const working = await aWebhookEndpoint(db);
  const failing = await aWebhookEndpoint(db, { isFailing: true });
  await pendingDeliveries(db, working, { count: 9 });
  await pendingDeliveries(db, failing, { count: 9 });
  const claimed = await claimUpTo(db, 100);
  expect(countBy(claimed.map(({ endpointId }) => endpointId))).toEqual({ [working.id]: 4, [failing.id]: 1 });
  expect(await claimUpTo(db, 100)).toEqual([]);
  const [first] = claimed.filter(({ endpointId }) => endpointId === working.id);
  if (first !== undefined) await settleDeliveries(db, [resultOf(first)]);
  expect((await claimUpTo(db, 100)).map(({ endpointId }) => endpointId)).toEqual([working.id]);
});

test("concurrent workers never have more than four deliveries of an endpoint in flight", async () => {
  const { db } = database;
  const endpoints = await Promise.all([aWebhookEndpoint(db), aWebhookEndpoint(db)]);
  for (const endpoint of endpoints) await pendingDeliveries(db, endpoint, { count: 120 });
  const inFlight = new Map(endpoints.map(({ id }) => [id, 0]));
  const seen = new Set<string>();
  let most = 0;
  const worker = async () => {
    while (seen.size < 240) {
      const claimed = await claimUpTo(db, 3);
      for (const { id, endpointId } of claimed) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
        inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1);
        most = Math.max(most, inFlight.get(endpointId) ?? 0);
      }
      // Counted before it is settled: the settlement lets another worker claim before this one hears of it.
      for (const { endpointId } of claimed) inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) - 1);
      if (claimed.length > 0)
        await settleDeliveries(
          db,
          claimed.map((each) => resultOf(each)),
        );
    }
  };
  const observer = async () => {
    let mostLeased = 0;
    while (seen.size < 240) {
      const [row] = await change(
        db,
        `select coalesce(max(leased), 0) as most
        from (select count(*) as leased from webhook_queue where state = 'delivering' group by endpoint_id) as counts`,
      );
      mostLeased = Math.max(mostLeased, Number(row?.most));
    }
    return mostLeased;
  };
  const [mostLeased] = await Promise.all([observer(), worker(), worker(), worker(), worker()]);
  expect(most).toBeLessThanOrEqual(4);
  expect(mostLeased).toBeLessThanOrEqual(4);
  expect(mostLeased).toBeGreaterThan(1);
});

test("a claim waits for the one before it, and counts its leases even when an older delivery arrives in between", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await pendingDeliveries(db, endpoint, { count: 4 });
  let second: Promise<ClaimedDelivery[]> | undefined;
  // What a claim does, up to its commit.
  await db.withTransaction(async (tx) => {
    await tx.query({ name: "lock", text: "select pg_advisory_xact_lock(hashtextextended('webhook claims', 0))" });
    const lease = "update webhook_queue set state = 'delivering', due_at = now() + interval '30 seconds', attempt = 1";
    await tx.query({ name: "lease", text: lease });
    await pendingDeliveries(db, endpoint, { dueInSeconds: -60 });
    second = claimUpTo(db, 10);
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";
    await expect.poll(() => change(db, waiting)).toHaveLength(1);
  });
  expect(await second).toEqual([]);
});

test("a delivery that was answered and is being settled is no longer in flight, and counts once", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await pendingDeliveries(db, endpoint, { count: 20 });
  const [first, second] = await claimUpTo(db, 10);
  if (!first || !second) throw new Error("nothing was claimed");
  const answered = [first.id, second.id];
  expect(await claimUpTo(db, 10, { answered })).toHaveLength(2);
  await settleDeliveries(db, [resultOf(first)]);
  expect(await claimUpTo(db, 10, { answered })).toHaveLength(0);
});

test("an expired lease does not block the endpoint", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await pendingDeliveries(db, endpoint, { count: 8 });
  await claimUpTo(db, 100);
  await change(db, "update webhook_queue set due_at = now() - interval '1 second' where state = 'delivering'");
  expect(await claimUpTo(db, 100)).toHaveLength(4);
});

test("accounts alternate, oldest first, and an account with deliveries in flight comes after the others", async () => {
  const { db } = database;
  const busy = await anAccount(db);
  const [first, second] = [
    await aWebhookEndpoint(db, { accountId: busy }),
    await aWebhookEndpoint(db, { accountId: busy }),
  ];
  await pendingDeliveries(db, first, { count: 4 });
  await pendingDeliveries(db, second, { count: 4 });
  const other = await aWebhookEndpoint(db);
  await pendingDeliveries(db, other, { count: 3 });
  const accounts = async (limit: number) =>
    (await claimUpTo(db, limit)).map(({ accountId }) => (accountId === busy ? "busy" : "other"));
  expect(await accounts(3)).toEqual(["busy", "other", "busy"]);
  // Two of the busy account are in flight, one of the other.
  expect(await accounts(1)).toEqual(["other"]);
  expect(await accounts(2)).toEqual(["busy", "other"]);
  expect(await accounts(100)).toEqual(Array.from({ length: 5 }, () => "busy"));
});

test("deliveries that are not due, paused, or of a disabled or deleted endpoint are not claimed", async () => {
  const { db } = database;
  const [later, paused, disabled, deleted] = await Promise.all(Array.from({ length: 4 }, () => aWebhookEndpoint(db)));
  if (!later || !paused || !disabled || !deleted) throw new Error("endpoints are missing");
  await pendingDeliveries(db, later, { dueInSeconds: 60 });
  for (const endpoint of [paused, disabled, deleted]) await pendingDeliveries(db, endpoint);
  await change(db, "update webhook_queue set state = 'paused' where endpoint_id = $1", [paused.id]);
  await change(db, "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user' where id = $1", [
    disabled.id,
  ]);
  await change(db, "delete from webhook_endpoints where id = $1", [deleted.id]);
  expect(await claimUpTo(db, 100)).toEqual([]);
});

test("a delivery whose row another statement has locked does not hold up the claim", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  const [locked = "", free = ""] = await pendingDeliveries(db, endpoint, { count: 2 });
  await db.withTransaction(async (tx) => {
    await tx.query({
      name: "lock-one",
      text: `select from webhook_queue where delivery_id = $1 for update`,
      values: [locked],
    });
    expect((await claimUpTo(db, 10)).map(({ id }) => id)).toEqual([free]);
  });
});

function countBy(values: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

test("a worker leases 16 deliveries of an endpoint that answers fast, while no other worker has one of it", async () => {
  const { db } = database;
  const [fast, shared, failing] = [
    await aWebhookEndpoint(db),
    await aWebhookEndpoint(db),
    await aWebhookEndpoint(db, { isFailing: true }),
  ];
  const fastEndpoints = [fast.id, shared.id, failing.id];
  await pendingDeliveries(db, shared);
  const ofAnother = await claimUpTo(db, 100);
  expect(ofAnother).toHaveLength(1);
  for (const endpoint of [fast, shared, failing]) await pendingDeliveries(db, endpoint, { count: 40 });
  const first = await claimUpTo(db, 100, { fastEndpoints });
  expect(countBy(first.map(({ endpointId }) => endpointId))).toEqual({
    [fast.id]: 16,
    [shared.id]: 3,
    [failing.id]: 1,
  });
  const leased = first.filter(({ endpointId }) => endpointId === fast.id).map(({ id }) => id);
  // It has answered six of them. Another worker gets none, although it may find the endpoint fast too.
  const answered = leased.slice(0, 6);
  expect(await claimUpTo(db, 100, { fastEndpoints })).toEqual([]);
  const more = await claimUpTo(db, 100, { fastEndpoints, answered, leasedOfFast: leased.slice(6) });
  expect(countBy(more.map(({ endpointId }) => endpointId))).toEqual({ [fast.id]: 6 });
});
