import { describe, expect, onTestFinished, test } from "vitest";
import { aClaimedSend, attemptOf, claimAgain, someClaimedSends } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { ClaimedSend } from "./claim-sends.ts";
import {
  giveBack,
  type LaterAttempt,
  leaveInDoubt,
  markFailed,
  markSent,
  markSuppressed,
  retryLater,
} from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

describe("each move", () => {
  test("accepted at the first try: sent, out of the queue, and no attempt is kept", async () => {
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

  test("failed: out of the queue, with code, message and attempt", async () => {
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

  test("words of the provider that PostgreSQL would refuse are stored all the same", async () => {
    const send = await aClaimedSend(database.db);
    const words = `a\0b${"c".repeat(5_000)}`;
    expect(await markFailed(database.db, [{ ...refused(send), message: words, detail: words }])).toEqual([true]);
    expect((await sendRow(database.db, send.id))?.errorMessage).toMatch(/^a\u{fffd}bc{997}$/u);
  });

  test("suppressed: out of the queue", async () => {
    const send = await aClaimedSend(database.db);
    expect(await markSuppressed(database.db, [returned(send)])).toEqual([true]);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "suppressed" });
  });

  test("later: waiting, with one step more and the clock of patience started once", async () => {
    const send = await aClaimedSend(database.db);
    expect(await retryLater(database.db, [later(send, { delaySeconds: 30 })])).toEqual([true]);
    const row = { state: "waiting", attempt: 1, backoffStep: 1, dueInSeconds: 30, isRetrying: true };
    expect(await queueRow(database.db, send.id)).toMatchObject(row);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "queued" });
    const since = await retryingSince(send);
    const again = await makeReady(send);
    await retryLater(database.db, [later(again)]);
    expect(await queueRow(database.db, send.id)).toMatchObject({ backoffStep: 2, attempt: 2 });
    expect(await retryingSince(send)).toEqual(since);
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 try-later", "2 try-later"]);
  });

  test("later without counting: neither step nor clock move", async () => {
    const send = await aClaimedSend(database.db);
    await retryLater(database.db, [later(send, { counts: false, delaySeconds: 2 })]);
    const row = { state: "waiting", backoffStep: 0, dueInSeconds: 2, isRetrying: false };
    expect(await queueRow(database.db, send.id)).toMatchObject(row);
  });

  test("given back: ready at its old place, and the next attempt has another number", async () => {
    const send = await aClaimedSend(database.db);
    const before = await fairAt(send);
    expect(await giveBack(database.db, [returned(send)])).toEqual([true]);
    expect(await queueRow(database.db, send.id)).toMatchObject({ state: "ready", attempt: 1, dueInSeconds: null });
    expect(await fairAt(send)).toEqual(before);
    expect((await claimAgain(database.db, send.id)).attempt).toBe(2);
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 returned"]);
  });

  test("unknown: in doubt since the attempt was made", async () => {
    const send = await aClaimedSend(database.db);
    expect(await leaveInDoubt(database.db, [unknown(send)])).toEqual([true]);
    expect(await queueRow(database.db, send.id)).toMatchObject({ state: "in-doubt", attempt: 1, dueInSeconds: 0 });
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "queued" });
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 unknown"]);
  });

  test("an accepted second attempt is kept beside the first", async () => {
    const send = await aClaimedSend(database.db);
    await retryLater(database.db, [later(send)]);
    const again = await makeReady(send);
    expect(await markSent(database.db, [accepted(again, "m-2")])).toEqual(["sent"]);
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 try-later", "2 accepted"]);
  });
});

const moves = [
  ["markFailed", (send: ClaimedSend) => markFailed(database.db, [refused(send)]), "refused"],
  ["markSuppressed", (send: ClaimedSend) => markSuppressed(database.db, [returned(send)]), "returned"],
  ["retryLater", (send: ClaimedSend) => retryLater(database.db, [later(send)]), "try-later"],
  ["giveBack", (send: ClaimedSend) => giveBack(database.db, [returned(send)]), "returned"],
  ["leaveInDoubt", (send: ClaimedSend) => leaveInDoubt(database.db, [unknown(send)]), "unknown"],
] as const;

describe("the fence", () => {
  test.for(moves)("%s of a stale attempt moves nothing, and what it knows is kept", async ([, move, outcome]) => {
    const stale = await aClaimedSend(database.db);
    await giveBackSilently(stale);
    await claimAgain(database.db, stale.id);
    expect(await move(stale)).toEqual([false]);
    expect(await queueRow(database.db, stale.id)).toMatchObject({ state: "leased", attempt: 2, backoffStep: 0 });
    expect(await sendRow(database.db, stale.id)).toMatchObject({ status: "queued" });
    expect(await attemptsOf(database.db, stale.id)).toEqual([`1 ${outcome}`]);
  });

  test.for(moves)("%s moves nothing that is ready or waiting", async ([, move]) => {
    for (const state of ["ready", "waiting"]) {
      const send = await aClaimedSend(database.db);
      await change(database.db, "update send_queue set state = $2 where id = $1", [send.id, state]);
      expect(await move(send)).toEqual([false]);
      expect(await queueRow(database.db, send.id)).toMatchObject({ state });
      expect(await sendRow(database.db, send.id)).toMatchObject({ status: "queued" });
    }
  });

  test.for(moves)("%s of a send that has left the queue changes nothing of its record", async ([, move]) => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [accepted(send, "m-1")]);
    expect(await move(send)).toEqual([false]);
    expect(await queueRow(database.db, send.id)).toBeUndefined();
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
  });

  test.for(moves)("%s still settles an attempt whose lease ran out meanwhile", async ([, move, outcome]) => {
    const send = await aClaimedSend(database.db);
    await leaveInDoubt(database.db, [{ ...unknown(send), detail: "the lease ran out" }]);
    expect(await move(send)).toEqual([true]);
    expect(await attemptsOf(database.db, send.id)).toEqual([`1 ${outcome}`]);
  });

  test("a settlement repeated after its commit was lost changes nothing", async () => {
    const [sent, failed] = [await aClaimedSend(database.db), await aClaimedSend(database.db)];
    await markSent(database.db, [accepted(sent, "m-1")]);
    expect(await markSent(database.db, [accepted(sent, "m-1")])).toEqual(["known"]);
    await markFailed(database.db, [refused(failed)]);
    expect(await markFailed(database.db, [refused(failed)])).toEqual([false]);
    expect(await attemptsOf(database.db, sent.id)).toEqual([]);
    expect(await sendRow(database.db, sent.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
    expect(await sendRow(database.db, failed.id)).toMatchObject({ status: "failed" });
  });

  test("an accepted answer of a stale attempt counts: the send is sent and not handed over again", async () => {
    const stale = await aClaimedSend(database.db);
    await giveBackSilently(stale);
    await claimAgain(database.db, stale.id);
    expect(await markSent(database.db, [accepted(stale, "m-1")])).toEqual(["sent"]);
    expect(await queueRow(database.db, stale.id)).toBeUndefined();
    expect(await sendRow(database.db, stale.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
    expect(await attemptsOf(database.db, stale.id)).toEqual(["1 accepted"]);
  });

  test("of two accepted attempts the first to be settled names the send, and the other is doubled", async () => {
    const first = await aClaimedSend(database.db);
    await giveBackSilently(first);
    const second = await claimAgain(database.db, first.id);
    expect(await markSent(database.db, [accepted(second, "m-2")])).toEqual(["sent"]);
    expect(await markSent(database.db, [accepted(first, "m-1")])).toEqual(["doubled"]);
    expect(await markSent(database.db, [accepted(first, "m-1")])).toEqual(["known"]);
    expect(await sendRow(database.db, first.id)).toMatchObject({ status: "sent", providerMessageId: "m-2" });
    expect(await attemptsOf(database.db, first.id)).toEqual(["1 accepted", "2 accepted"]);
  });

  test("answers belong to their sends when some of a batch are stale", async () => {
    const [one, stale, two] = [
      await aClaimedSend(database.db),
      await aClaimedSend(database.db),
      await aClaimedSend(database.db),
    ];
    await giveBackSilently(stale);
    const again = await claimAgain(database.db, stale.id);
    await markSent(database.db, [accepted(again, "m-again")]);
    const batch = [two, stale, one].map((send) => accepted(send, `m-${send.id}`));
    expect(await markSent(database.db, batch)).toEqual(["sent", "doubled", "sent"]);
  });
});

test("two attempts of one send in one batch are told apart", async () => {
  const first = await aClaimedSend(database.db);
  await giveBackSilently(first);
  const second = await claimAgain(database.db, first.id);
  const batch = [accepted(first, "m-1"), accepted(second, "m-2")];
  expect(await markSent(database.db, batch)).toEqual(["doubled", "sent"]);
});

test("eight settlers in opposite orders over the same sends meet no deadlock, and each send moves once", async () => {
  const sends = await someClaimedSends(database.db, 60);
  const settlers = Array.from({ length: 8 }, (_, index) => {
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
    return () => leaveInDoubt(db, order.map(unknown));
  });
  await Promise.all(settlers.map((settle) => settle()));
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
  return { ...attemptOf(send), outcome: "try-later", delaySeconds: 5, counts: true, ...changes };
}

async function makeReady(send: ClaimedSend): Promise<ClaimedSend> {
  await giveBackSilently(send);
  return claimAgain(database.db, send.id);
}

/** As if its lease had run out and policy had sent it again. */
async function giveBackSilently(send: ClaimedSend): Promise<void> {
  await change(database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [send.id]);
}

async function retryingSince(send: ClaimedSend) {
  return change(database.db, "select retrying_since::text from send_queue where id = $1", [send.id]);
}

async function fairAt(send: ClaimedSend) {
  return change(database.db, "select fair_at::text from send_queue where id = $1", [send.id]);
}
