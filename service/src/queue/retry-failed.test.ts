import { expect, test } from "vitest";
import { aClaimedSend, aSuppression, attemptOf, claimAgain } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { ClaimedSend } from "./claim-sends.ts";
import { confirmSubmissions } from "./confirm-submission.ts";
import { promoteDueSends } from "./promote-sends.ts";
import { findFailed, retryFailed } from "./retry-failed.ts";
import { markFailed, type SendErrorCode } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("failed sends are found by code, time and account, with the obstacle to a retry", async () => {
  const [retryable, withoutContent, submitted] = [await aFailedSend(), await aFailedSend(), await aFailedSend()];
  const other = await aFailedSend("PROVIDER_REJECTED");
  await change(database.db, "delete from send_contents where id = $1", [withoutContent.id]);
  await change(database.db, "update sends set provider_message_id = 'm-1' where id = $1", [submitted.id]);
  const filter = { code: "PROVIDER_UNAVAILABLE", since: minutesAgo(5), accountId: undefined } as const;
  const { failed, next } = await findFailed(database.db, filter, undefined);
  expect(next).toBeUndefined();
  const found = new Map(failed.map(({ id, obstacle }) => [id, obstacle]));
  expect([retryable, withoutContent, submitted, other].map(({ id }) => found.get(id))).toEqual([
    null,
    "no content",
    "submitted",
    undefined,
  ]);
  const ofAccount = await findFailed(database.db, { ...filter, accountId: withoutContent.accountId }, undefined);
  expect(ofAccount.failed.map(({ id }) => id)).toEqual([withoutContent.id]);
  expect((await findFailed(database.db, { ...filter, since: minutesAgo(-5) }, undefined)).failed).toEqual([]);
  expect((await findFailed(database.db, { ...filter, accountId: retryable.accountId }, retryable.id)).failed).toEqual(
    [],
  );
});

test("a retried send waits and then continues with the next attempt, without its error", async () => {
  const send = await aFailedSend();
  expect(await retry(send)).toEqual([send.id]);
  expect(await sendRow(database.db, send.id)).toMatchObject({ status: "queued", errorCode: null, errorMessage: null });
  expect(await queueRow(database.db, send.id)).toMatchObject({
    state: "waiting",
    attempt: 1,
    backoffStep: 0,
    dueInSeconds: 30,
    isRetrying: false,
    recipients: send.recipients,
  });
  await makeDue();
  expect(await promoteDueSends(database.db, "live")).toBe(1);
  const again = await claimAgain(database.db, send.id);
  expect(again).toMatchObject({
    attempt: 2,
    fromDomain: send.fromDomain,
    domain: "verified",
    sealed: expect.any(Buffer),
  });
  expect(await attemptsOf(database.db, send.id)).toEqual(["1 try-later"]);
});

test("a send that eight operators retry at the same time is queued once", async () => {
  const send = await aFailedSend();
  const moved = await Promise.all(Array.from({ length: 8 }, () => retry(send)));
  expect(moved.flat()).toEqual([send.id]);
});

test("eight writers in opposite orders retry every send once, without a deadlock", async () => {
  const sends: ClaimedSend[] = [];
  while (sends.length < 20) sends.push(await aFailedSend());
  const retries = sends.map(({ id, fromDomain }, position) => ({ id, fromDomain, position }));
  const writers = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? retries : retries.toReversed()));
  const moved = await Promise.all(writers.map((each) => retryFailed(database.db, "PROVIDER_UNAVAILABLE", each)));
  expect(moved.flat().toSorted()).toEqual(sends.map(({ id }) => id).toSorted());
});

test("a send that is not failed, failed with another code, was submitted or has no content stays unchanged", async () => {
  const sends = [
    await aFailedSend("INTERNAL"),
    await aFailedSend(),
    await aFailedSend(),
    await aClaimedSend(database.db),
  ];
  await change(database.db, "update sends set provider_message_id = 'm-1' where id = $1", [sends[1]?.id]);
  await change(database.db, "delete from send_contents where id = $1", [sends[2]?.id]);
  for (const send of sends) expect(await retry(send)).toEqual([]);
  for (const { id } of sends.slice(0, 3)) expect(await sendRow(database.db, id)).toMatchObject({ status: "failed" });
});

test("a recipient that dropped out stays out, even after its suppression was removed", async () => {
  const to = ["gone@a.test", "Here@a.test"];
  const first = await aClaimedSend(database.db, { to });
  await aSuppression(database.db, { accountId: first.accountId, email: "gone@a.test" });
  await change(database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [first.id]);
  await fail(await claimAgain(database.db, first.id));
  await change(database.db, "delete from suppressions where account_id = $1", [first.accountId]);
  await retry(first);
  expect(await queueRow(database.db, first.id)).toMatchObject({ recipients: ["here@a.test"], attempt: 2 });
});

test("a send that evidence confirms during the retry is not submitted again", async () => {
  const send = await aFailedSend();
  await retry(send);
  const row = await change(database.db, "delete from send_queue where id = $1 returning *", [send.id]);
  await confirmSubmissions(database.db, [{ sendId: send.id, attempt: 1, providerMessageId: "m-1", at: undefined }]);
  // Simulates evidence whose statement started before the row existed and committed after it.
  await change(
    database.db,
    `insert into send_queue (id, account_id, mode, state, fair_at, due_at, attempt, from_domain, recipients)
     values ($1, $2, 'live', 'waiting', now(), now(), 1, 'shop.test', '{a@b.test}')`,
    [send.id, row[0]?.account_id],
  );
  expect(await promoteDueSends(database.db, "live")).toBe(0);
  expect(await queueRow(database.db, send.id)).toBeUndefined();
  expect(await sendRow(database.db, send.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
});

async function aFailedSend(code: SendErrorCode = "PROVIDER_UNAVAILABLE"): Promise<ClaimedSend> {
  const send = await aClaimedSend(database.db);
  await fail(send, code);
  return send;
}

function fail(send: ClaimedSend, code: SendErrorCode = "PROVIDER_UNAVAILABLE") {
  return markFailed(database.db, [
    { ...attemptOf(send), outcome: "try-later", code, message: "The provider was unavailable." },
  ]);
}

function retry({ id, fromDomain }: ClaimedSend): Promise<string[]> {
  return retryFailed(database.db, "PROVIDER_UNAVAILABLE", [{ id, fromDomain, position: 1 }]);
}

async function makeDue(): Promise<void> {
  await change(database.db, "update send_queue set due_at = now() where state = 'waiting'");
}

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}
