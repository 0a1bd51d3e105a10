import { describe, expect, onTestFinished, test } from "vitest";
import { aClaimedSend, attemptOf, claimAgain } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { rejectSends } from "../feedback/reject-sends.ts";
import type { ClaimedSend } from "./claim-sends.ts";
import { confirmSubmissions } from "./confirm-submission.ts";
import { giveBack, leaveInDoubt, markFailed, markSent, markSuppressed } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const moved = { hasMoved: true, isDoubled: false, isAhead: false };
const nothing = { hasMoved: false, isDoubled: false, isAhead: false };
const doubled = { hasMoved: false, isDoubled: true, isAhead: false };

describe("evidence wins", () => {
  test.for(["ready", "leased", "waiting", "in-doubt"])(
    "over a send that is %s, whatever its attempt",
    async (state) => {
      const send = await aClaimedSend(database.db);
      await change(database.db, "update send_queue set state = $2, attempt = 3 where id = $1", [send.id, state]);
      expect(await confirm(send, "m-1", "2026-11-15T05:00:00.000Z")).toEqual(moved);
      expect(await queueRow(database.db, send.id)).toBeUndefined();
      expect(await sendRow(database.db, send.id)).toMatchObject({ status: "sent", providerMessageId: "m-1" });
      expect(await change(database.db, "select sent_at from sends where id = $1", [send.id])).toEqual([
        { sent_at: "2026-11-15T05:00:00.000Z" },
      ]);
    },
  );

  test("over failed, whose error is cleared", async () => {
    const send = await aClaimedSend(database.db);
    const facts = { outcome: "unknown", code: "PROVIDER_OUTCOME_UNKNOWN", message: "Nobody knows." } as const;
    await markFailed(database.db, [{ ...attemptOf(send), ...facts }]);
    expect(await confirm(send, "m-1")).toEqual(moved);
    expect(await sendRow(database.db, send.id)).toEqual({
      status: "sent",
      providerMessageId: "m-1",
      errorCode: null,
      errorMessage: null,
      isDated: true,
    });
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 accepted"]);
  });

  test("over suppressed", async () => {
    const send = await aClaimedSend(database.db);
    await giveBack(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
    const again = await claimAgain(database.db, send.id);
    await markSuppressed(database.db, [{ ...attemptOf(again), outcome: "returned" }]);
    expect(await confirm(send, "m-1")).toEqual(moved);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "sent" });
  });

  test.for(["delivered", "bounced", "complained"])("but never takes a send back that is %s", async (status) => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
    await change(database.db, "update sends set status = $2 where id = $1", [send.id, status]);
    expect(await confirm(send, "m-1")).toEqual(nothing);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status });
  });

  test("but not over a mail that the provider took and then refused, told again or by a repeated settlement", async () => {
    const send = await aClaimedSend(database.db);
    const answer = { ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" } as const;
    await markSent(database.db, [answer]);
    await rejectSends(database.db, [{ sendId: send.id, providerMessageId: "m-1", reason: "Bad content" }]);
    expect(await confirm(send, "m-1")).toEqual(nothing);
    expect(await markSent(database.db, [answer])).toEqual(["known"]);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "failed", errorCode: "PROVIDER_REJECTED" });
  });

  test("told again, or told of a plain accept, it changes and keeps nothing", async () => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
    const before = await sendRow(database.db, send.id);
    expect(await confirm(send, "m-1")).toEqual(nothing);
    expect(await sendRow(database.db, send.id)).toEqual(before);
    expect(await attemptsOf(database.db, send.id)).toEqual([]);
  });

  test("an answer that comes after the evidence finds it settled, also when it is less certain", async () => {
    const [one, other] = [await aClaimedSend(database.db), await aClaimedSend(database.db)];
    await confirm(one, "m-1");
    await confirm(other, "m-2");
    const answer = { ...attemptOf(one), outcome: "accepted", providerMessageId: "m-1" } as const;
    expect(await markSent(database.db, [answer])).toEqual(["known"]);
    expect(await leaveInDoubt(database.db, [{ ...attemptOf(other), outcome: "unknown" }])).toEqual([false]);
    expect(await attemptsOf(database.db, other.id)).toEqual(["1 accepted"]);
  });

  test("of a send that does not exist changes nothing", async () => {
    const unknown = {
      sendId: "0199b0f0-0000-7000-8000-000000000000",
      attempt: 1,
      providerMessageId: "m",
      at: undefined,
    };
    expect(await confirmSubmissions(database.db, [unknown])).toEqual([nothing]);
  });
});

describe("doubled", () => {
  test("evidence of a second attempt is doubled, once", async () => {
    const { first, second } = await twoAttempts();
    await markSent(database.db, [{ ...attemptOf(second), outcome: "accepted", providerMessageId: "m-2" }]);
    expect(await confirm(first, "m-1")).toEqual(doubled);
    expect(await confirm(first, "m-1")).toEqual(nothing);
    expect(await confirm(second, "m-2")).toEqual(nothing);
    expect(await sendRow(database.db, first.id)).toMatchObject({ providerMessageId: "m-2" });
    expect(await attemptsOf(database.db, first.id)).toEqual(["1 accepted", "2 accepted"]);
  });

  test("both told in one go: one moves the send, the other is doubled, and a repetition neither", async () => {
    const { first, second } = await twoAttempts();
    const evidence = [evidenceOf(first, "m-1"), evidenceOf(second, "m-2"), evidenceOf(first, "m-1")];
    expect(await confirmSubmissions(database.db, evidence)).toEqual([moved, doubled, nothing]);
  });

  test("a second mail of one and the same attempt is doubled", async () => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
    expect(await confirm(send, "m-other")).toEqual(doubled);
  });

  test("eight that tell of the same 40 double sends in opposite orders count each once, without a deadlock", async () => {
    const pairs: Awaited<ReturnType<typeof twoAttempts>>[] = [];
    while (pairs.length < 40) pairs.push(await twoAttempts());
    const evidence = pairs.flatMap(({ first, second }) => [
      evidenceOf(first, `m-1-${first.id}`),
      evidenceOf(second, `m-2-${first.id}`),
    ]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const db = openTestDatabase(database.url);
        onTestFinished(() => db.close());
        return confirmSubmissions(db, index % 2 === 0 ? evidence : evidence.toReversed());
      }),
    );
    expect(answers.flat().filter(({ hasMoved }) => hasMoved)).toHaveLength(40);
    expect(answers.flat().filter(({ isDoubled }) => isDoubled)).toHaveLength(40);
  });
});

function evidenceOf(send: ClaimedSend, providerMessageId: string, at?: string) {
  return { sendId: send.id, attempt: send.attempt, providerMessageId, at };
}

async function confirm(send: ClaimedSend, providerMessageId: string, at?: string) {
  const [confirmation] = await confirmSubmissions(database.db, [evidenceOf(send, providerMessageId, at)]);
  return confirmation;
}

/** One send of which the first attempt is unknown and the second is under way. */
async function twoAttempts() {
  const first = await aClaimedSend(database.db);
  await giveBack(database.db, [{ ...attemptOf(first), outcome: "unknown" }]);
  return { first, second: await claimAgain(database.db, first.id) };
}
