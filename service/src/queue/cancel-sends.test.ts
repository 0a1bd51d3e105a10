import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, attemptOf, aVerifiedDomain, claimAgain } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdAccount } from "../accounts/account-store.ts";
import { cancelSends } from "./cancel-sends.ts";
import { confirmSubmissions } from "./confirm-submission.ts";
import { parkSends } from "./parked-sends.ts";
import { countQueued } from "./queued-of-account.ts";
import { markInDoubt, retryLater } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("the ready, waiting and parked sends of the key end as failed with CANCELLED", async () => {
  const key = await aKey();
  const waiting = await aSendOf(key);
  const made = { ...attemptOf(await claimAgain(database.db, waiting)), outcome: "try-later" } as const;
  await retryLater(database.db, [{ ...made, delaySeconds: 60, usesRetryWindow: true }]);
  const parked = await aSendOf(key);
  await holdAccount(database.db, key.accountId, undefined);
  await parkSends(database.db, key.accountId);
  const ready = await aSendOf(key);
  expect(await cancelSends(database.db, ofKey(key))).toBe(3);
  for (const id of [ready, waiting, parked]) {
    expect(await queueRow(database.db, id)).toBeUndefined();
    expect(await recordOf(id)).toMatchObject({ status: "failed", error_code: "CANCELLED" });
  }
  expect(await cancelSends(database.db, ofKey(key))).toBe(0);
});

test("a send that a worker is submitting, or whose outcome is unknown, is not cancelled", async () => {
  const key = await aKey();
  const inDoubt = await aSendOf(key);
  await markInDoubt(database.db, [{ ...attemptOf(await claimAgain(database.db, inDoubt)), outcome: "unknown" }]);
  const leased = await aSendOf(key);
  await claimAgain(database.db, leased);
  expect(await cancelSends(database.db, ofKey(key))).toBe(0);
  expect(await queueRow(database.db, leased)).toMatchObject({ state: "leased" });
  expect(await queueRow(database.db, inDoubt)).toMatchObject({ state: "in-doubt" });
});

test("a send with an earlier attempt of unknown outcome says so, and after a failover no ready send is cancelled", async () => {
  const key = await aKey();
  const unknown = await aSendOf(key);
  await markInDoubt(database.db, [{ ...attemptOf(await claimAgain(database.db, unknown)), outcome: "unknown" }]);
  await change(database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [unknown]);
  const ready = await aSendOf(key);
  await change(database.db, "update provider_state set server_run = '' where mode = 'live'");
  expect(await cancelSends(database.db, ofKey(key))).toBe(0);
  await change(database.db, "update provider_state set server_run = null where mode = 'live'");
  expect(await cancelSends(database.db, ofKey(key))).toBe(2);
  expect(await recordOf(ready)).toMatchObject({ error_message: "The key was revoked." });
  expect(await recordOf(unknown)).toMatchObject({
    error_message: expect.stringMatching(
      /^The key was revoked. The provider did not report whether it accepted an earlier attempt/u,
    ),
  });
});

test("sends of another key, of a JWT and of another account stay queued", async () => {
  const key = await aKey();
  const others = [
    await aSendOf({ ...key, id: randomUUIDv7() }),
    await aQueuedSend(database.db, { accountId: key.accountId }),
    await aSendOf({ ...(await aKey()), id: key.id }),
  ];
  expect(await cancelSends(database.db, ofKey(key))).toBe(0);
  for (const id of others) expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
});

test("evidence that SES had accepted an earlier attempt corrects a cancelled send", async () => {
  const key = await aKey();
  const id = await aSendOf(key);
  await cancelSends(database.db, ofKey(key));
  const evidence = { sendId: id, attempt: 1, providerMessageId: "0100-late", at: undefined };
  expect(await confirmSubmissions(database.db, [evidence])).toMatchObject([{ hasMoved: true }]);
  expect(await recordOf(id)).toMatchObject({ status: "sent", error_code: null });
});

test("more sends than one batch holds are all cancelled, each once, by four operators at the same time", async () => {
  const key = await aKey();
  await change(
    database.db,
    `with stored as (
       insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, api_key_id)
       select new_id_at(now()), $1, 'live', 'queued', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello', $2
       from generate_series(1, 12000)
       returning id
     )
     insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
     select id, $1, 'live', now(), 'shop.test', '{jane@example.test}'
     from stored`,
    [key.accountId, key.id],
  );
  const counts = await Promise.all(Array.from({ length: 4 }, () => cancelSends(database.db, ofKey(key))));
  counts.push(await cancelSends(database.db, ofKey(key)));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12_000);
});

test("the few sends of an account are found behind more sends of others than one statement reads", async () => {
  const accountId = await anAccount(database.db);
  await change(
    database.db,
    `insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
     select new_id_at(now() - interval '1 hour'), gen_random_uuid(), 'live', now(), 'shop.test', '{jane@example.test}'
     from generate_series(1, 20001)`,
  );
  const id = await aQueuedSend(database.db, { accountId });
  expect(await countQueued(database.db, { accountId })).toMatchObject([{ state: "ready", sends: 1, recipients: 1 }]);
  const soon = new Date(Date.now() + 60_000).toISOString();
  for (const [before, moved] of [
    [new Date(Date.now() - 60_000).toISOString(), 0],
    [soon, 1],
  ] as const) {
    expect(await cancelSends(database.db, { accountId, before, message: "Old mail." })).toBe(moved);
  }
  expect(await recordOf(id)).toMatchObject({ status: "failed", error_code: "CANCELLED" });
});

async function aKey(): Promise<{ accountId: string; id: string }> {
  return { accountId: await anAccount(database.db), id: randomUUIDv7() };
}

function ofKey({ accountId, id }: { accountId: string; id: string }) {
  return { accountId, apiKeyId: id, message: "The key was revoked." };
}

async function aSendOf({ accountId, id }: { accountId: string; id: string }): Promise<string> {
  return aQueuedSend(database.db, {
    accountId,
    apiKeyId: id,
    fromDomain: await aVerifiedDomain(database.db, accountId),
  });
}

async function recordOf(id: string) {
  const [row] = await change(database.db, "select status, error_code, error_message from sends where id = $1", [id]);
  return row;
}
