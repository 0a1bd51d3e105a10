import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aReadySend, aWatch, claimAll, claimedIds, failOverFrom, otherSystem } from "../../test/failover-fixture.ts";
import { aClaimedSend, aQueuedSend, attemptOf } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { confirmSubmissions } from "../queue/confirm-submission.ts";
import { markInDoubt, markSent, retryLater } from "../queue/settle-sends.ts";
import { findTimeline } from "../sends/send-timeline.ts";
import { releaseSweptSends } from "./failover-sweep.ts";
import { noteReportedSubmissions } from "./feedback-progress.ts";
import { readLastFailover } from "./last-failover.ts";
import { resendInDoubt } from "./resolve-in-doubt.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const rule = { inDoubtSeconds: 120, inDoubtMaxSeconds: 3_600 };

test("live sends in every state are in doubt since the failover; test mail and new sends continue", async () => {
  await learnServer();
  const [leased, waiting, inDoubt] = [
    await aClaimedSend(database.db),
    await aClaimedSend(database.db),
    await aClaimedSend(database.db),
  ];
  await retryLater(database.db, [
    { ...attemptOf(waiting), outcome: "try-later", usesRetryWindow: true, delaySeconds: 900 },
  ]);
  await markInDoubt(database.db, [{ ...attemptOf(inDoubt), outcome: "unknown" }]);
  const [ready, parked] = [await aReadySend(database.db), await aReadySend(database.db)];
  const testSend = await aReadySend(database.db, "test");
  await change(database.db, "update send_queue set state = 'parked', due_at = now() where id = $1", [parked]);
  await change(database.db, "update send_queue set attempted_at = now() - interval '2 hours' where attempt = 1");
  await failOverAndSweep();
  for (const id of [leased.id, waiting.id, inDoubt.id, ready, parked]) {
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt", dueInSeconds: 0 });
  }
  expect(await attemptsOf(database.db, ready)).toEqual(["1000 unknown"]);
  expect(await attemptsOf(database.db, inDoubt.id)).toEqual(["1 unknown", "1001 unknown"]);
  const newSend = await aReadySend(database.db);
  expect(await claimedIds(database.db, "live")).toEqual([newSend]);
  expect(await claimedIds(database.db, "test")).toEqual([testSend]);
  expect(await readLastFailover(database.db, 10)).toMatchObject({ markedInDoubt: 5, inDoubt: 5, isSweeping: false });
});

test("the timeline of a send says why it is in doubt", async () => {
  await learnServer();
  const accountId = await anAccount(database.db);
  const id = await aQueuedSend(database.db, { accountId });
  await failOverAndSweep();
  const timeline = await findTimeline(database.db.forAccount(accountId), { modes: ["live"], domain: undefined }, id);
  expect(timeline).toMatchObject({
    send: { status: "processing" },
    entries: [
      { type: "accepted" },
      { type: "attempt", outcome: "unknown", detail: expect.stringContaining("failover") },
    ],
  });
});

test("evidence of an attempt that the failover lost confirms the send", async () => {
  await learnServer();
  const id = await aReadySend(database.db);
  await failOverAndSweep();
  const [confirmation] = await confirmSubmissions(database.db, [evidenceOf(id, 3)]);
  expect(confirmation).toEqual({ hasMoved: true, isDoubled: false, isAhead: false });
  expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", providerMessageId: "m-3" });
});

test("a worker that was submitting during the failover still settles its send", async () => {
  await learnServer();
  const send = await aClaimedSend(database.db);
  await failOverAndSweep();
  expect(await markSent(database.db, [{ ...attemptOf(send), outcome: "accepted", providerMessageId: "m-1" }])).toEqual([
    "sent",
  ]);
  expect(await queueRow(database.db, send.id)).toBeUndefined();
});

test("feedback progress from before the failover is no evidence, even if it is ahead of this server's clock", async () => {
  await learnServer();
  const id = await aReadySend(database.db);
  await change(
    database.db,
    "update feedback_progress set reported_submission_at = now() + interval '10 minutes', queue_empty_at = now(), last_report_at = now()",
  );
  await failOverAndSweep();
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
  await change(database.db, "update send_queue set due_at = now() - interval '130 seconds'");
  await change(database.db, "update feedback_progress set reported_submission_at = null, queue_empty_at = null");
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
  await noteReportedSubmissions(database.db, "live", new Date().toISOString());
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([id]);
});

test("evidence of a lost attempt that arrives after the send went out again is counted as doubled", async () => {
  await learnServer();
  const send = await aClaimedSend(database.db);
  await retryLater(database.db, [
    { ...attemptOf(send), outcome: "try-later", usesRetryWindow: true, delaySeconds: 900 },
  ]);
  await failOverAndSweep();
  await change(database.db, "update send_queue set due_at = now() - interval '2 hours'");
  await resendInDoubt(database.db, "live", rule);
  const [again] = await claimAll(database.db, "live");
  if (again === undefined) throw new Error("no send was claimed");
  expect(again.attempt).toBe(1_002);
  await markSent(database.db, [{ ...attemptOf(again), outcome: "accepted", providerMessageId: "m-new" }]);
  expect(await confirmSubmissions(database.db, [evidenceOf(send.id, 2)])).toMatchObject([{ isDoubled: true }]);
});

test("when the operator confirms no loss, sends that only waited are ready, and those being submitted stay in doubt", async () => {
  await learnServer();
  const submitting = await aClaimedSend(database.db);
  const waiting = await aReadySend(database.db);
  await failOverAndSweep();
  expect(await releaseSweptSends(database.db)).toBe(1);
  expect(await claimedIds(database.db, "live")).toEqual([waiting]);
  expect(await queueRow(database.db, submitting.id)).toMatchObject({ state: "in-doubt" });
  expect(await attemptsOf(database.db, waiting)).toEqual(["1000 returned"]);
});

async function learnServer(): Promise<void> {
  await aWatch(database.db).watch.check();
}

async function failOverAndSweep(): Promise<void> {
  await failOverFrom(database.db, otherSystem);
  await aWatch(database.db).watch.check();
}

function evidenceOf(sendId: string, attempt: number) {
  return { sendId, attempt, providerMessageId: `m-${attempt}`, at: undefined };
}
