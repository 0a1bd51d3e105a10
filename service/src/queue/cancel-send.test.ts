import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aQueuedSend, attemptOf, aVerifiedDomain, claimAgain } from "../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aWebhook } from "../../test/webhook-builders.ts";
import { systemActor } from "../actor.ts";
import { declareFailover } from "../in-doubt/failover-store.ts";
import { releaseSweptSends, sweepOlderSends } from "../in-doubt/failover-sweep.ts";
import { cancelListed } from "./cancel-listed.ts";
import { cancelSend } from "./cancel-send.ts";
import { claimSends } from "./claim-sends.ts";
import { confirmSubmissions } from "./confirm-submission.ts";
import { markInDoubt, markSent, retryLater } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const visible = { modes: ["live", "test"], domain: undefined } as const;

async function aSend(options: { isCounted?: boolean } = {}) {
  const accountId = await anAccount(database.db);
  const id = await aQueuedSend(database.db, {
    accountId,
    fromDomain: await aVerifiedDomain(database.db, accountId),
  });
  if (options.isCounted) await change(database.db, "update send_queue set counted_recipients = 1 where id = $1", [id]);
  return { accountId, id, cancel: (as = visible) => cancelSend(database.db.forAccount(accountId), as, id) };
}

test.each(["ready", "waiting", "parked"])("a %s send ends as failed with CANCELLED, once", async (state) => {
  const { id, cancel } = await aSend();
  await change(database.db, "update send_queue set state = $2, due_at = now() where id = $1", [id, state]);
  expect(await cancel()).toMatchObject({ isCancelled: true, status: "failed", errorCode: "CANCELLED" });
  expect(await queueRow(database.db, id)).toBeUndefined();
  expect(await sendRow(database.db, id)).toMatchObject({ status: "failed", errorCode: "CANCELLED" });
  expect(await cancel()).toMatchObject({ isCancelled: true, queueState: null });
  expect(await cancelEntries(id)).toEqual([{ state }]);
});

test("a leased, in-doubt or sent send stays as it is", async () => {
  const { id, cancel } = await aSend();
  const send = await claimAgain(database.db, id);
  expect(await cancel()).toMatchObject({ isCancelled: false, status: "processing", queueState: "leased" });
  await markInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
  expect(await cancel()).toMatchObject({ isCancelled: false, status: "processing", queueState: "in-doubt" });
  await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
  expect(await cancel()).toMatchObject({ isCancelled: false, status: "sent", queueState: null });
  expect(await cancelEntries(id)).toEqual([]);
});

test("a send that waits for a retry is cancelled, and evidence of its attempt still corrects it", async () => {
  const { id, cancel } = await aSend();
  const made = { ...attemptOf(await claimAgain(database.db, id)), outcome: "try-later" } as const;
  await retryLater(database.db, [{ ...made, delaySeconds: 60, usesRetryWindow: true }]);
  expect(await cancel()).toMatchObject({ isCancelled: true });
  await confirmSubmissions(database.db, [{ sendId: id, attempt: 1, providerMessageId: "m-1", at: undefined }]);
  expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", errorCode: null });
  expect(await cancel()).toMatchObject({ isCancelled: false, status: "sent" });
});

test("a send that is ready again after an attempt of unknown outcome is cancelled, and its message promises nothing about that attempt", async () => {
  const { id, cancel } = await aSend();
  await markInDoubt(database.db, [{ ...attemptOf(await claimAgain(database.db, id)), outcome: "unknown" }]);
  await change(database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [id]);
  const errorMessage =
    "The sender cancelled this send while it was queued. The provider did not report whether it accepted an earlier attempt, so that mail " +
    "may have gone out. Postern does not send it again.";
  expect(await cancel()).toMatchObject({ isCancelled: true, errorCode: "CANCELLED", errorMessage });
  expect(await sendRow(database.db, id)).toMatchObject({ errorCode: "CANCELLED", errorMessage });
  await confirmSubmissions(database.db, [{ sendId: id, attempt: 1, providerMessageId: "m-1", at: undefined }]);
  expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", errorCode: null });
});

describe("after a failover", () => {
  test("a ready send is in doubt for a cancellation, before and after the sweep, until the rule for sends in doubt decides", async () => {
    const { id, cancel } = await aSend();
    await startedOn(database.db);
    await declareFailover(database.db, "operator", "infinity");
    expect(await cancel()).toMatchObject({ isCancelled: false, status: "queued", queueState: "in-doubt" });
    await cancelListed(database.db, { sendIds: [id], message: "Old.", actor: systemActor });
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
    await sweepOlderSends(database.db);
    expect(await cancel()).toMatchObject({ isCancelled: false, queueState: "in-doubt" });
    await sweepOlderSends(database.db);
    await releaseSweptSends(database.db);
    expect(await cancel()).toMatchObject({
      isCancelled: true,
      errorMessage: "The sender cancelled this send while it was queued.",
    });
  });

  test("a scheduled send that is due is in doubt, and one that is not due is cancelled", async () => {
    const accountId = await anAccount(database.db);
    const fromDomain = await aVerifiedDomain(database.db, accountId);
    const due = await aScheduledSend(database.db, { accountId, fromDomain, dueInSeconds: -1 });
    const later = await aScheduledSend(database.db, { accountId, fromDomain, dueInSeconds: 3600 });
    await startedOn(database.db);
    await declareFailover(database.db, "operator", "infinity");
    const cancel = (id: string) => cancelSend(database.db.forAccount(accountId), visible, id);
    expect(await cancel(due)).toMatchObject({ isCancelled: false, queueState: "in-doubt" });
    expect(await cancel(later)).toMatchObject({ isCancelled: true });
  });
});

/** Workers have claimed from this server. */
function startedOn(db: typeof database.db) {
  return change(
    db,
    "update provider_state set server = server_identity(), server_run = server_run() where mode = 'live'",
  );
}

test("nobody finds a send of another account, of another mode or of another domain than that of the key", async () => {
  const { id, cancel } = await aSend();
  const other = database.db.forAccount(await anAccount(database.db));
  expect(await cancelSend(other, visible, id)).toBeUndefined();
  expect(await cancel({ ...visible, modes: ["test"] } as never)).toBeUndefined();
  expect(await cancel({ ...visible, domain: "other.test" } as never)).toBeUndefined();
  expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
});

test("the account gets its recipients, its usage and a notification in the same commit", async () => {
  const { id, accountId, cancel } = await aSend({ isCounted: true });
  await aWebhook(database.db, { accountId, types: ["send.failed"] });
  await cancel();
  expect(
    await change(
      database.db,
      `select (select sum(difference) from queued_recipient_changes where account_id = $1)::integer as queued,
         (select sum(amount) from usage_deltas where account_id = $1)::integer as failed,
         (select facts from notifications where account_id = $1 and send_id = $2) as notification`,
      [accountId, id],
    ),
  ).toMatchObject([{ queued: -1, failed: 1, notification: { code: "CANCELLED" } }]);
});

test("of a cancellation and a claim at the same time exactly one wins", async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 60; round++) {
    const { id, cancel } = await aSend();
    const all = { mode: "live", maxSends: 10, maxRecipients: 100, fromFairAt: "-infinity", isProbe: true } as const;
    const cancelling = cancel();
    // PostgreSQL plans the cancellation each time: unless it starts earlier, by up to 10 ms, the claim can win every round.
    if (round % 2 === 1) await sleep(round / 6);
    const [cancelled, { sends }] = await Promise.all([cancelling, claimSends(database.db, all)]);
    const isClaimed = sends.some((send) => send.id === id);
    // A claim skips a row that the cancellation has locked.
    expect([cancelled?.isCancelled, isClaimed].filter(Boolean)).toHaveLength(1);
    outcomes.add(isClaimed ? "claimed" : "cancelled");
    await change(database.db, "delete from send_queue");
  }
  expect([...outcomes].toSorted()).toEqual(["cancelled", "claimed"]);
});

test("a cancellation waits for a claim that has the send, and then sees it leased", async () => {
  const { id, cancel } = await aSend();
  let answer: ReturnType<typeof cancel> | undefined;
  await database.db.withTransaction(async (tx) => {
    await tx.query({
      name: "lease",
      text: "update send_queue set state = 'leased', due_at = now() + interval '1 minute' where id = $1",
      values: [id],
    });
    answer = cancel();
    await expect
      .poll(() =>
        change(
          database.db,
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        ),
      )
      .toHaveLength(1);
  });
  expect(await answer).toMatchObject({ isCancelled: false, queueState: "leased" });
});

async function cancelEntries(id: string) {
  const entries = await change(
    database.db,
    "select before from audit_entries where target_id = $1::text and action = 'send.cancel'",
    [id],
  );
  return entries.map(({ before }) => before);
}
