import { describe, expect, onTestFinished, test } from "vitest";
import { aClaimedSend, attemptOf, claimAgain } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { rejectSends } from "../feedback/reject-sends.ts";
import type { ClaimedSend } from "./claim-sends.ts";
import { confirmSubmissions } from "./confirm-submission.ts";
import { giveBack, markFailed, markInDoubt, markSent, markSuppressed } from "./settle-sends.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const moved = { hasMoved: true, isDoubled: false, isAhead: false };
const unchanged = { hasMoved: false, isDoubled: false, isAhead: false };
const doubled = { hasMoved: false, isDoubled: true, isAhead: false };

describe("evidence of an accepted attempt", () => {
  test.for(["ready", "leased", "waiting", "in-doubt"])(
    "moves a send that is %s to sent, whatever its attempt",
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

  test("moves a failed send to sent and clears its error", async () => {
    const send = await aClaimedSend(database.db);
    const result = { outcome: "unknown", code: "PROVIDER_OUTCOME_UNKNOWN", message: "Nobody knows." } as const;
    await markFailed(database.db, [{ ...attemptOf(send), ...result }]);
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

  test("moves a suppressed send to sent", async () => {
    const send = await aClaimedSend(database.db);
    await giveBack(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
    const again = await claimAgain(database.db, send.id);
    await markSuppressed(database.db, [{ ...attemptOf(again), outcome: "returned" }]);
    expect(await confirm(send, "m-1")).toEqual(moved);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "sent" });
  });

  test.for(["delivered", "bounced", "complained"])("leaves a send that is %s unchanged", async (status) => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
    await change(database.db, "update sends set status = $2 where id = $1", [send.id, status]);
    expect(await confirm(send, "m-1")).toEqual(unchanged);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status });
  });

  test("does not undo a rejection by the provider, when it is reported or settled again", async () => {
    const send = await aClaimedSend(database.db);
    const answer = { ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" } as const;
    await markSent(database.db, [answer]);
    await rejectSends(database.db, [{ sendId: send.id, providerMessageId: "m-1", reason: "Bad content" }]);
    expect(await confirm(send, "m-1")).toEqual(unchanged);
    expect(await markSent(database.db, [answer])).toEqual(["known"]);
    expect(await sendRow(database.db, send.id)).toMatchObject({ status: "failed", errorCode: "PROVIDER_REJECTED" });
  });

  test("changes nothing and stores no attempt when the first attempt is already settled as accepted", async () => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
    const before = await sendRow(database.db, send.id);
    expect(await confirm(send, "m-1")).toEqual(unchanged);
    expect(await sendRow(database.db, send.id)).toEqual(before);
    expect(await attemptsOf(database.db, send.id)).toEqual([]);
  });

  test("wins over an answer that arrives later, accepted or unknown", async () => {
    const [one, other] = [await aClaimedSend(database.db), await aClaimedSend(database.db)];
    await confirm(one, "m-1");
    await confirm(other, "m-2");
    const answer = { ...attemptOf(one), outcome: "accepted", providerMessageId: "m-1" } as const;
    expect(await markSent(database.db, [answer])).toEqual(["known"]);
    expect(await markInDoubt(database.db, [{ ...attemptOf(other), outcome: "unknown" }])).toEqual([false]);
    expect(await attemptsOf(database.db, other.id)).toEqual(["1 accepted"]);
  });

  test("for a send that does not exist changes nothing", async () => {
    const unknown = {
      sendId: "0199b0f0-0000-7000-8000-000000000000",
      attempt: 1,
      providerMessageId: "m",
      at: undefined,
    };
    expect(await confirmSubmissions(database.db, [unknown])).toEqual([unchanged]);
  });
});

describe("a second mail of one send", () => {
  test("is reported as doubled once when evidence shows a second accepted attempt", async () => {
    const { first, second } = await twoAttempts();
    await markSent(database.db, [{ ...attemptOf(second), outcome: "accepted", providerMessageId: "m-2" }]);
    expect(await confirm(first, "m-1")).toEqual(doubled);
    expect(await confirm(first, "m-1")).toEqual(unchanged);
    expect(await confirm(second, "m-2")).toEqual(unchanged);
    expect(await sendRow(database.db, first.id)).toMatchObject({ providerMessageId: "m-2" });
    expect(await attemptsOf(database.db, first.id)).toEqual(["1 accepted", "2 accepted"]);
  });

  test("is reported as doubled when one call has evidence for both attempts, and repeated evidence is not", async () => {
    const { first, second } = await twoAttempts();
    const evidence = [evidenceOf(first, "m-1"), evidenceOf(second, "m-2"), evidenceOf(first, "m-1")];
    expect(await confirmSubmissions(database.db, evidence)).toEqual([moved, doubled, unchanged]);
  });

  test("of the same attempt is reported as doubled", async () => {
    const send = await aClaimedSend(database.db);
    await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }]);
    expect(await confirm(send, "m-other")).toEqual(doubled);
  });

  test("is counted once when eight processes confirm the same 40 doubled sends in opposite orders, without a deadlock", async () => {
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

/** A send whose first attempt is unknown and whose second attempt is in progress. */
async function twoAttempts() {
  const first = await aClaimedSend(database.db);
  await giveBack(database.db, [{ ...attemptOf(first), outcome: "unknown" }]);
  return { first, second: await claimAgain(database.db, first.id) };
}
