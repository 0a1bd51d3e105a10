import { describe, expect, onTestFinished, test } from "vitest";
import { aClaimedSend, attemptOf, claimAgain, someClaimedSends } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { ClaimedSend } from "./claim-sends.ts";
import {
  giveBack,
  type LaterAttempt,
  markFailed,
  markInDoubt,
  markSent,
  markSuppressed,
  retryLater,
} from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

describe("a settled attempt", () => {
  test("accepted at the first try: the send is sent and leaves the queue, and no attempt is stored", async () => {
    const send = await aClaimedSend(database.db);
    expect(await markSent(database.db, [accepted(send, "m-1")])).toEqual(["sent"]);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
    expect(await sendRow(database.db, send.id)).toEqual({
      status: "sent",
      providerMessageId: "m-1",
      errorCode: null,
      errorMessage: null,
      isDated: true,
    });
    expect(await attemptsOf(database.db, send.id)).toEqual([]);
  });

  test("failed: the send leaves the queue with code, message and attempt", async () => {
    const send = await aClaimedSend(database.db);
    expect(await markFailed(database.db, [refused(send)])).toEqual([true]);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
    expect(await sendRow(database.db, send.id)).toMatchObject({
      status: "failed",
      errorCode: "PROVIDER_REJECTED",
      errorMessage: "Not that one.",
    });
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 refused"]);
  });

  test("failed with a text that PostgreSQL would refuse: the text is stored, cleaned and shortened", async () => {
    const send = await aClaimedSend(database.db);
    const text = `a\0b${"c".repeat(5_000)}`;
    expect(await markFailed(database.db, [{ ...refused(send), message: text, detail: text }])).toEqual([true]);
    expect((await sendRow(database.db, send.id))?.errorMessage).toMatch(/^a\u{fffd}bc{997}$/u);
  });

  test("suppressed: the send leaves the queue", async () => {
    const send = await aClaimedSend(database.db);
    expect(await markSuppressed(database.db, [returned(send)])).toEqual([true]);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "suppressed" });
  });

  test("try-later: the send waits, the backoff grows by a step, and the retry window starts once", async () => {
    const send = await aClaimedSend(database.db);
    expect(await retryLater(database.db, [later(send, { delaySeconds: 30 })])).toEqual([true]);
    const row = { state: "waiting", attempt: 1, backoffStep: 1, dueInSeconds: 30, isRetrying: true };
    expect(await queueRow(database.db, send.id)).toMatchObject(row);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "queued" });
    const since = await retryingSince(send);
    const again = await claimReady(send);
    await retryLater(database.db, [later(again)]);
    expect(await queueRow(database.db, send.id)).toMatchObject({ backoffStep: 2, attempt: 2 });
    expect(await retryingSince(send)).toEqual(since);
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 try-later", "2 try-later"]);
  });

  test("try-later that does not count: neither the backoff nor the retry window changes", async () => {
    const send = await aClaimedSend(database.db);
    await retryLater(database.db, [later(send, { usesRetryWindow: false, delaySeconds: 2 })]);
    const row = { state: "waiting", backoffStep: 0, dueInSeconds: 2, isRetrying: false };
    expect(await queueRow(database.db, send.id)).toMatchObject(row);
  });

  test("given back: the send is ready at its old position, and the next attempt has another number", async () => {
    const send = await aClaimedSend(database.db);
    const before = await fairAt(send);
    expect(await giveBack(database.db, [returned(send)])).toEqual([true]);
    expect(await queueRow(database.db, send.id)).toMatchObject({ state: "ready", attempt: 1, dueInSeconds: null });
    expect(await fairAt(send)).toEqual(before);
    expect((await claimAgain(database.db, send.id)).attempt).toBe(2);
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 returned"]);
  });

  test("unknown: the send is in doubt from now on", async () => {
    const send = await aClaimedSend(database.db);
    expect(await markInDoubt(database.db, [unknown(send)])).toEqual([true]);
    expect(await queueRow(database.db, send.id)).toMatchObject({ state: "in-doubt", attempt: 1, dueInSeconds: 0 });
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "queued" });
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 unknown"]);
  });

  test("accepted at the second try: both attempts are stored", async () => {
    const send = await aClaimedSend(database.db);
    await retryLater(database.db, [later(send)]);
    const again = await claimReady(send);
    expect(await markSent(database.db, [accepted(again, "m-2")])).toEqual(["sent"]);
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 try-later", "2 accepted"]);
  });
});

const moves = [
  ["markFailed", (send: ClaimedSend) => markFailed(database.db, [refused(send)]), "refused"],
  ["markSuppressed", (send: ClaimedSend) => markSuppressed(database.db, [returned(send)]), "returned"],
  ["retryLater", (send: ClaimedSend) => retryLater(database.db, [later(send)]), "try-later"],
  ["giveBack", (send: ClaimedSend) => giveBack(database.db, [returned(send)]), "returned"],
  ["markInDoubt", (send: ClaimedSend) => markInDoubt(database.db, [unknown(send)]), "unknown"],
] as const;

describe("the fence", () => {
  test.for(moves)("%s of a stale attempt moves nothing, and its outcome is stored", async ([, move, outcome]) => {
    const stale = await aClaimedSend(database.db);
    await makeReady(stale);
    await claimAgain(database.db, stale.id);
    expect(await move(stale)).toEqual([false]);
    expect(await queueRow(database.db, stale.id)).toMatchObject({ state: "leased", attempt: 2, backoffStep: 0 });
    expect(await sendRow(database.db, stale.id)).toMatchObject({ status: "queued" });
    expect(await attemptsOf(database.db, stale.id)).toEqual([`1 ${outcome}`]);
  });

  test.for(moves)("%s leaves a ready or waiting send unchanged", async ([, move]) => {
    for (const state of ["ready", "waiting"]) {
      const send = await aClaimedSend(database.db);
      await change(database.db, "update send_queue set state = $2 where id = $1", [send.id, state]);
      expect(await move(send)).toEqual([false]);
      expect(await queueRow(database.db, send.id)).toMatchObject({ state });
      expect(await sendRow(database.db, send.id)).toMatchObject({ status: "queued" });
    }
  });

  test.for(moves)("%s of a send that has left the queue does not change its record", async ([, move]) => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [accepted(send, "m-1")]);
    expect(await move(send)).toEqual([false]);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
  });

  test.for(moves)("%s still settles an attempt whose lease has expired", async ([, move, outcome]) => {
    const send = await aClaimedSend(database.db);
    await markInDoubt(database.db, [{ ...unknown(send), detail: "the lease expired" }]);
    expect(await move(send)).toEqual([true]);
    expect(await attemptsOf(database.db, send.id)).toEqual([`1 ${outcome}`]);
  });

  test("a settlement that is repeated because its answer was lost changes nothing", async () => {
    const [sent, failed] = [await aClaimedSend(database.db), await aClaimedSend(database.db)];
    await markSent(database.db, [accepted(sent, "m-1")]);
    expect(await markSent(database.db, [accepted(sent, "m-1")])).toEqual(["known"]);
    await markFailed(database.db, [refused(failed)]);
    expect(await markFailed(database.db, [refused(failed)])).toEqual([false]);
    expect(await attemptsOf(database.db, sent.id)).toEqual([]);
    expect(await sendRow(database.db, sent.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
    expect(await sendRow(database.db, failed.id)).toMatchObject({ status: "failed" });
  });

  test("an accepted answer of a stale attempt counts: the send is sent and not submitted again", async () => {
    const stale = await aClaimedSend(database.db);
    await makeReady(stale);
    await claimAgain(database.db, stale.id);
    expect(await markSent(database.db, [accepted(stale, "m-1")])).toEqual(["sent"]);
    expect(await queueRow(database.db, stale.id)).toBeUndefined();
    expect(await sendRow(database.db, stale.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
    expect(await attemptsOf(database.db, stale.id)).toEqual(["1 accepted"]);
  });

  test("of two accepted attempts the first one settled gives the send its message id, and the other is doubled", async () => {
    const first = await aClaimedSend(database.db);
    await makeReady(first);
    const second = await claimAgain(database.db, first.id);
    expect(await markSent(database.db, [accepted(second, "m-2")])).toEqual(["sent"]);
    expect(await markSent(database.db, [accepted(first, "m-1")])).toEqual(["doubled"]);
    expect(await markSent(database.db, [accepted(first, "m-1")])).toEqual(["known"]);
    expect(await sendRow(database.db, first.id)).toMatchObject({ status: "sent", providerMessageId: "m-2" });
    expect(await attemptsOf(database.db, first.id)).toEqual(["1 accepted", "2 accepted"]);
  });

  test("each attempt gets its own answer when some attempts of a batch are stale", async () => {
    const [one, stale, two] = [
      await aClaimedSend(database.db),
      await aClaimedSend(database.db),
      await aClaimedSend(database.db),
    ];
    await makeReady(stale);
    const again = await claimAgain(database.db, stale.id);
    await markSent(database.db, [accepted(again, "m-again")]);
    const batch = [two, stale, one].map((send) => accepted(send, `m-${send.id}`));
    expect(await markSent(database.db, batch)).toEqual(["sent", "doubled", "sent"]);
  });
});

test("two attempts of one send in one batch get separate answers", async () => {
  const first = await aClaimedSend(database.db);
  await makeReady(first);
  const second = await claimAgain(database.db, first.id);
  const batch = [accepted(first, "m-1"), accepted(second, "m-2")];
  expect(await markSent(database.db, batch)).toEqual(["doubled", "sent"]);
});

test("eight workers that settle the same sends in opposite orders meet no deadlock, and each send moves once", async () => {
  const sends = await someClaimedSends(database.db, 60);
  const workers = Array.from({ length: 8 }, (_, index) => {
    const db = openTestDatabase(database.url);
    onTestFinished(() => db.close());
    const order = index % 2 === 0 ? sends : sends.toReversed();
    if (index % 4 < 2)
      return () =>
        markSent(
          db,
          order.map((send) => accepted(send, `m-${send.id}`)),
        );
    if (index % 4 === 2) return () => markFailed(db, order.map(refused));
    return () => markInDoubt(db, order.map(unknown));
  });
  await Promise.all(workers.map((settle) => settle()));
  const rows = await Promise.all(sends.map((send) => sendRow(database.db, send.id)));
  expect(new Set(rows.map((row) => row?.status))).toEqual(new Set(["sent"]));
  expect(await change(database.db, "select id from send_queue")).toEqual([]);
});

function accepted(send: ClaimedSend, providerMessageId: string) {
  return { ...attemptOf(send), outcome: "accepted", providerMessageId } as const;
}

function refused(send: ClaimedSend) {
  return { ...attemptOf(send), outcome: "refused", code: "PROVIDER_REJECTED", message: "Not that one." } as const;
}

function returned(send: ClaimedSend) {
  return { ...attemptOf(send), outcome: "returned" } as const;
}

function unknown(send: ClaimedSend) {
  return { ...attemptOf(send), outcome: "unknown" } as const;
}

function later(send: ClaimedSend, changes: Partial<LaterAttempt> = {}): LaterAttempt {
  return { ...attemptOf(send), outcome: "try-later", delaySeconds: 5, usesRetryWindow: true, ...changes };
}

async function claimReady(send: ClaimedSend): Promise<ClaimedSend> {
  await makeReady(send);
  return claimAgain(database.db, send.id);
}

/** Simulates an expired lease that was resolved with the policy "resend". */
async function makeReady(send: ClaimedSend): Promise<void> {
  await change(database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [send.id]);
}

async function retryingSince(send: ClaimedSend) {
  return change(database.db, "select retrying_since::text from send_queue where id = $1", [send.id]);
}

async function fairAt(send: ClaimedSend) {
  return change(database.db, "select fair_at::text from send_queue where id = $1", [send.id]);
}
