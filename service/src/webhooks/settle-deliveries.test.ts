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
  webhookAttempts,
} from "../../test/webhook-fixture.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { settleExpiredLeases } from "./expired-leases.ts";
import { openDeliverySettlement, type SettledAttempt, settleDeliveries, unknownFailure } from "./settle-deliveries.ts";

const database = useTestDatabase();
useEmptyWebhooks(database);

async function aClaim(options: { attempt?: number; isFailing?: boolean } = {}) {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db, { isFailing: options.isFailing ?? false });
  const [id = ""] = await pendingDeliveries(db, endpoint, { attempt: options.attempt ?? 0 });
  const [claimed] = await claimUpTo(db, 100);
  if (claimed === undefined) throw new Error("nothing was claimed");
  return { db, endpoint, id, claimed };
}

async function settleOne(claimed: ClaimedDelivery, result: Partial<SettledAttempt> = {}) {
  const [state] = await settleDeliveries(database.db, [resultOf(claimed, result)]);
  return state;
}

test("an attempt with a 2xx ends the delivery as delivered, with its duration and its attempt", async () => {
  const { db, id, claimed } = await aClaim();
  expect(await settleOne(claimed, { durationMs: 12.4, answer: "thanks" })).toBe("delivered");
  expect(await queued(db, id)).toBeUndefined();
  expect(await change(db, "select state, duration_ms from webhook_deliveries where id = $1", [id])).toEqual([
    { state: "delivered", duration_ms: 12 },
  ]);
  expect(
    await change(
      db,
      `select attempt, status, duration_ms, answer, failure, time_of_id(id) - $2::timestamptz <= interval '0' as "isOfAttempt"
      from webhook_attempts
      where delivery_id = $1`,
      [id, claimed.attemptedAt],
    ),
  ).toEqual([{ attempt: 1, status: 200, duration_ms: 12, answer: "thanks", failure: null, isOfAttempt: true }]);
});

test("a failed attempt waits for its next one, and the last one fails the delivery", async () => {
  const { db, id, claimed } = await aClaim();
  expect(await settleOne(claimed, { ...aFailure, delaySeconds: 5 })).toBe("pending");
  expect(await queued(db, id)).toBe("pending 1 5");
  expect(await deliveryState(db, id)).toBe("pending");
  const last = await aClaim({ attempt: 10 });
  expect(await settleOne(last.claimed, { ...aFailure, delaySeconds: undefined })).toBe("failed");
  expect(await queued(db, last.id)).toBeUndefined();
  expect(await deliveryState(db, last.id)).toBe("failed");
  expect(await webhookAttempts(db, last.id)).toEqual(["11 500 The endpoint answered with 500."]);
});

test("a request that was not made counts neither as an attempt nor against the endpoint", async () => {
  const { db, endpoint, id, claimed } = await aClaim({ attempt: 10 });
  const notMade = { kind: "not-made", status: undefined, failure: "The address was busy.", delaySeconds: 30 } as const;
  expect(await settleOne(claimed, notMade)).toBe("pending");
  expect(await queued(db, id)).toBe("pending 10 30");
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: false });
  expect(await webhookAttempts(db, id)).toEqual(["11 The address was busy."]);
});

test("a delivery that is given back is due at once, without an attempt", async () => {
  const { db, endpoint, id, claimed } = await aClaim({ attempt: 10 });
  const givenBack = {
    kind: "given-back",
    status: undefined,
    failure: "It was not posted.",
    delaySeconds: 0,
  } as const;
  expect(await settleOne(claimed, givenBack)).toBe("pending");
  expect(await queued(db, id)).toBe("pending 10 0");
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: false });
  expect(await webhookAttempts(db, id)).toEqual([]);
  expect(await claimUpTo(db, 10)).toMatchObject([{ id, attempt: 11 }]);
});

test.each([
  { failure: "The endpoint answered 500.", stored: 16_384 },
  { failure: undefined, stored: 1_024 },
])(
  "of an answer with the failure $failure $stored characters are stored, without those that PostgreSQL cannot store",
  async ({ failure, stored }) => {
    const { db, id, claimed } = await aClaim();
    await settleOne(claimed, { failure, answer: `\0${"x".repeat(20_000)}` });
    const [row] = await change(db, "select answer from webhook_attempts where delivery_id = $1", [id]);
    expect(row?.answer === `\u{fffd}${"x".repeat(stored - 1)}`).toBe(true);
  },
);

test("a settlement that is repeated changes nothing and adds no second attempt", async () => {
  const { db, id, claimed } = await aClaim();
  expect(await settleOne(claimed, aFailure)).toBe("pending");
  expect(await settleOne(claimed, aFailure)).toBeUndefined();
  expect(await webhookAttempts(db, id)).toHaveLength(1);
  expect(await queued(db, id)).toBe("pending 1 60");
});

test("an expired lease leaves an attempt with an unknown result, and the delivery is retried soon", async () => {
  const { db, endpoint, id } = await aClaim({ attempt: 8 });
  expect(await settleExpiredLeases(db)).toEqual([]);
  await expire();
  expect(await settleExpiredLeases(db)).toEqual(["pending"]);
  expect(await queued(db, id)).toBe("pending 9 60");
  expect(await webhookAttempts(db, id)).toEqual([`9 ${unknownFailure}`]);
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: false });
  expect(await settleExpiredLeases(db)).toEqual([]);
});

test("an unknown result of the last attempt fails the delivery", async () => {
  const { db, id } = await aClaim({ attempt: 10 });
  await expire();
  expect(await settleExpiredLeases(db)).toEqual(["failed"]);
  expect(await deliveryState(db, id)).toBe("failed");
});

test("a result after the lease replaces the unknown one, and does not move the delivery of the next attempt", async () => {
  const { db, id, claimed } = await aClaim();
  await expire();
  await settleExpiredLeases(db);
  await change(db, "update webhook_queue set due_at = now()");
  const [next] = await claimUpTo(db, 1);
  expect(next?.attempt).toBe(2);
  expect(await settleOne(claimed)).toBeUndefined();
  expect(await queued(db, id)).toBe("delivering 2 30");
  expect(await webhookAttempts(db, id)).toEqual(["1 200"]);
  if (next !== undefined) expect(await settleOne(next, aFailure)).toBe("pending");
  expect(await webhookAttempts(db, id)).toEqual(["1 200", "2 500 The endpoint answered with 500."]);
});

test("an unknown result does not replace a known one", async () => {
  const { db, id, claimed } = await aClaim();
  await settleOne(claimed, aFailure);
  await settleOne(claimed, { kind: "unknown", status: undefined, failure: unknownFailure });
  expect(await webhookAttempts(db, id)).toEqual(["1 500 The endpoint answered with 500."]);
});

test("a failure starts the failing time of the endpoint, a lost delivery is counted, and a success ends both", async () => {
  const { db, endpoint, claimed } = await aClaim();
  await settleOne(claimed, { ...aFailure, delaySeconds: 0 });
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: true, failedDeliveries: 0 });
  const [again] = await claimUpTo(db, 1);
  if (again !== undefined) await settleOne(again, { ...aFailure, delaySeconds: undefined });
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: true, failedDeliveries: 1 });
  await pendingDeliveries(db, endpoint);
  const [other] = await claimUpTo(db, 1);
  if (other !== undefined) await settleOne(other);
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: false, failedDeliveries: 0 });
});

test("of results settled together, the failures after the last success count", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await pendingDeliveries(db, endpoint, { count: 4 });
  const [first, second, third, fourth] = await claimUpTo(db, 4);
  if (!first || !second || !third || !fourth) throw new Error("not all were claimed");
  const lost = { ...aFailure, delaySeconds: undefined };
  await settleDeliveries(db, [resultOf(first, lost), resultOf(second), resultOf(third, lost), resultOf(fourth, lost)]);
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: true, failedDeliveries: 2 });
});

test("settling writes the row of an endpoint only when its health changes", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await pendingDeliveries(db, endpoint, { count: 4 });
  const version = async () =>
    (await change(db, "select xmin::text as version from webhook_endpoints where id = $1", [endpoint.id]))[0]?.version;
  const [first, second, third] = await claimUpTo(db, 3);
  if (!first || !second || !third) throw new Error("not all were claimed");
  const before = await version();
  await settleOne(first);
  expect(await version()).toBe(before);
  await settleOne(second, aFailure);
  const failing = await version();
  expect(failing).not.toBe(before);
  await settleOne(third, aFailure);
  expect(await version()).toBe(failing);
});

test("a delivery of an endpoint that was disabled meanwhile is paused, and one that succeeded is delivered", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db);
  await pendingDeliveries(db, endpoint, { count: 2 });
  const [first, second] = await claimUpTo(db, 2);
  if (!first || !second) throw new Error("not all were claimed");
  await change(db, "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user' where id = $1", [
    endpoint.id,
  ]);
  expect(await settleDeliveries(db, [resultOf(first, aFailure), resultOf(second)])).toEqual(["paused", "delivered"]);
  expect(await queued(db, first.id)).toBe("paused 1 60");
});

test("an endpoint that was deleted meanwhile gets nothing back: the result is stored, and the delivery stays cancelled", async () => {
  const { db, endpoint, id, claimed } = await aClaim();
  await change(db, "delete from webhook_endpoints where id = $1", [endpoint.id]);
  expect(await settleOne(claimed, aFailure)).toBe("cancelled");
  expect([await queued(db, id), await deliveryState(db, id)]).toEqual([undefined, "cancelled"]);
  const removed = await aClaim();
  await change(db, "delete from webhook_queue where delivery_id = $1", [removed.id]);
  await change(db, "update webhook_deliveries set state = 'cancelled', finished_at = now() where id = $1", [
    removed.id,
  ]);
  expect(await settleOne(removed.claimed)).toBeUndefined();
  expect([await queued(db, removed.id), await deliveryState(db, removed.id)]).toEqual([undefined, "cancelled"]);
  expect(await webhookAttempts(db, removed.id)).toEqual(["1 200"]);
});

test("eight writers in opposite orders settle every attempt once", async () => {
  const { db } = database;
  const endpoints = await Promise.all(Array.from({ length: 10 }, () => aWebhookEndpoint(db)));
  for (const endpoint of endpoints) await pendingDeliveries(db, endpoint, { count: 4 });
  const claimed = await claimUpTo(db, 40);
  const results = claimed.map((each, position) => resultOf(each, position % 3 === 0 ? {} : aFailure));
  const writers = Array.from({ length: 8 }, (_, number) => {
    const settle = openDeliverySettlement(db);
    return Promise.all((number % 2 === 0 ? results : results.toReversed()).map((result) => settle(result)));
  });
  const states = (await Promise.all(writers)).flat().filter((state) => state !== undefined);
  expect(states).toHaveLength(40);
  expect(await change(db, "select count(*) as rows from webhook_attempts")).toEqual([{ rows: 40 }]);
});

async function expire(): Promise<void> {
  await change(database.db, "update webhook_queue set due_at = now() - interval '1 second' where state = 'delivering'");
}
