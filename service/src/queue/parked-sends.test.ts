import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdAccount, releaseAccount, suspendAccount } from "../accounts/account-store.ts";
import { firstSend, parkSends, parkSome, unparkSends } from "./parked-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("all ready sends of a held account are parked, and none of another account", async () => {
  const [held, other] = [await anAccount(database.db), await anAccount(database.db)];
  await manyReadySends(held, 2_500);
  const going = await aQueuedSend(database.db, { accountId: other });
  await holdAccount(database.db, held, undefined);
  expect(await parkSends(database.db, held)).toBe(2_500);
  expect(await parkSends(database.db, held)).toBe(0);
  expect(await queueRow(database.db, going)).toMatchObject({ state: "ready" });
});

test("one step looks at 5,000 sends of all accounts, and the next step goes on after them", async () => {
  const [held, other] = [await anAccount(database.db), await anAccount(database.db)];
  await manyReadySends(other, 6_000);
  await manyReadySends(held, 3_000);
  await holdAccount(database.db, held, undefined);
  const first = await parkSome(database.db, held, firstSend);
  expect(first.parked).toBeLessThan(3_000);
  const second = await parkSome(database.db, held, first.lastId ?? "");
  expect(first.parked + second.parked).toBe(3_000);
  expect(second.lastId).toBeUndefined();
});

test("the guard parks live mail only, and its release unparks it unless the operator holds the account too", async () => {
  const accountId = await anAccount(database.db);
  const live = await aQueuedSend(database.db, { accountId });
  const testMail = await aQueuedSend(database.db, { accountId, mode: "test" });
  const hold = "update accounts set guard_held_at = now(), guard_reason = 'bounces' where id = $1";
  await change(database.db, hold, [accountId]);
  expect(await parkSends(database.db, accountId)).toBe(1);
  expect(await queueRow(database.db, testMail)).toMatchObject({ state: "ready" });
  expect(await unparkSends(database.db, "live")).toBe(0);
  await holdAccount(database.db, accountId, undefined);
  await change(database.db, "update accounts set guard_held_at = null, guard_reason = null where id = $1", [accountId]);
  expect(await unparkSends(database.db, "live")).toBe(0);
  await releaseAccount(database.db, accountId);
  expect(await unparkSends(database.db, "live")).toBe(1);
  expect(await queueRow(database.db, live)).toMatchObject({ state: "ready" });
});

test("no send of an account that is neither held nor suspended is parked", async () => {
  const accountId = await anAccount(database.db);
  await aQueuedSend(database.db, { accountId });
  expect(await parkSends(database.db, accountId)).toBe(0);
});

test("sends stay parked until the account is neither held nor suspended", async () => {
  const accountId = await anAccount(database.db);
  const id = await aQueuedSend(database.db, { accountId });
  await holdAccount(database.db, accountId, "flood");
  await suspendAccount(database.db, accountId);
  await parkSends(database.db, accountId);
  expect(await unparkSends(database.db, "live")).toBe(0);
  await releaseAccount(database.db, accountId);
  expect(await unparkSends(database.db, "live")).toBe(0);
  await change(database.db, "update accounts set suspended_at = null where id = $1", [accountId]);
  expect(await unparkSends(database.db, "test")).toBe(0);
  expect(await unparkSends(database.db, "live")).toBe(1);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", attempt: 0, dueInSeconds: null });
});

test("eight workers unpark the sends of several accounts, each send once", async () => {
  for (let count = 0; count < 5; count++) {
    const accountId = await anAccount(database.db);
    await manyReadySends(accountId, 700);
    await holdAccount(database.db, accountId, undefined);
    await parkSends(database.db, accountId);
    if (count > 0) await releaseAccount(database.db, accountId);
  }
  const counts: number[] = [];
  for (let round = 0; round < 6; round++) {
    counts.push(...(await Promise.all(Array.from({ length: 8 }, () => unparkSends(database.db, "live")))));
  }
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_800);
});

test("parked time moves fair_at back and does not use up the retry window", async () => {
  const accountId = await anAccount(database.db);
  const id = await aQueuedSend(database.db, { accountId, fairInSeconds: -3_600 });
  await change(
    database.db,
    `update send_queue
     set state = 'parked', due_at = now() - interval '1 hour', retrying_since = now() - interval '61 minutes'
     where id = $1`,
    [id],
  );
  await unparkSends(database.db, "live");
  const [row] = await change(
    database.db,
    `select extract(epoch from now() - fair_at)::float8 as fair_age, extract(epoch from now() - retrying_since)::float8 as retrying
     from send_queue where id = $1`,
    [id],
  );
  expect(row?.fair_age).toBeCloseTo(0, -1);
  expect(row?.retrying).toBeCloseTo(60, -1);
});

async function manyReadySends(accountId: string, count: number): Promise<void> {
  await change(
    database.db,
    `insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
     select gen_random_uuid(), $1, 'live', now(), 'shop.test', '{a@b.test}' from generate_series(1, $2::integer)`,
    [accountId, count],
  );
}
