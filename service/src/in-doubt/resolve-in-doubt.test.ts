import { describe, expect, test } from "vitest";
import { aClaimedSend, attemptOf, someClaimedSends } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { confirmSubmissions } from "../queue/confirm-submission.ts";
import { promoteDueSends } from "../queue/promote-sends.ts";
import { leaveInDoubt, retryLater } from "../queue/settle-sends.ts";
import { failInDoubt, markExpiredLeasesInDoubt, resendInDoubt } from "./resolve-in-doubt.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const rule = { inDoubtSeconds: 120, inDoubtMaxSeconds: 3600 };

describe("a lease that ran out", () => {
  test("puts the send in doubt, with its attempt unknown", async () => {
    const send = await aClaimedSend(database.db);
    await change(database.db, "update send_queue set due_at = now() - interval '1 second' where id = $1", [send.id]);
    expect(await markExpiredLeasesInDoubt(database.db, "live")).toBe(1);
    expect(await queueRow(database.db, send.id)).toMatchObject({ state: "in-doubt", attempt: 1 });
    expect(await attemptsOf(database.db, send.id)).toEqual(["1 unknown"]);
    expect(await markExpiredLeasesInDoubt(database.db, "live")).toBe(0);
  });

  test("evidence is waited for from where it ended: so late a hand-over may have been made", async () => {
    const send = await aClaimedSend(database.db);
    await passed(send.id, { sinceClaim: 130, sinceEnd: 70 });
    await markExpiredLeasesInDoubt(database.db, "live");
    await change(database.db, "update feedback_progress set reported_submission_at = now() where mode = 'live'");
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
    await passed(send.id, { sinceClaim: 181, sinceEnd: 121 });
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([send.id]);
  });

  test("one that still stands is left alone", async () => {
    const send = await aClaimedSend(database.db);
    expect(await markExpiredLeasesInDoubt(database.db, "live")).toBe(0);
    expect(await queueRow(database.db, send.id)).toMatchObject({ state: "leased" });
  });

  test("several workers look at the same leases and each is counted once", async () => {
    await someClaimedSends(database.db, 50);
    await change(database.db, "update send_queue set state = 'leased', due_at = now() - interval '1 second'");
    const counts = await Promise.all(Array.from({ length: 8 }, () => markExpiredLeasesInDoubt(database.db, "live")));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  });
});

const silences = [
  ["without any sign it is not silence before the longest wait", 3_500, {}, false],
  ["without any sign it is silence after the longest wait", 3_700, {}, true],
  ["a hand-over was told that was made a whole wait later", 230, { reported_submission_at: 100 }, true],
  ["a later hand-over was told, but one that an event may well overtake", 230, { reported_submission_at: 120 }, false],
  ["a later hand-over was told, but the wait is not over", 110, { reported_submission_at: 0 }, false],
  ["only earlier hand-overs were told", 130, { reported_submission_at: 140, last_report_at: 10 }, false],
  [
    "events were told today and their queue was empty after the wait",
    130,
    { last_report_at: 7_200, queue_empty_at: 5 },
    true,
  ],
  ["the queue was empty, but before the wait was over", 130, { last_report_at: 7_200, queue_empty_at: 15 }, false],
  ["the queue is empty, but no event was told for a day", 130, { last_report_at: 90_000, queue_empty_at: 5 }, false],
  ["the queue is empty, but no event was ever told", 130, { queue_empty_at: 5 }, false],
  [
    "a later hand-over was told, and reading had come past it before",
    230,
    { reported_submission_at: 100, confirmed_read_up_to: 229 },
    true,
  ],
  [
    "a later hand-over was told, but reading came past it only now",
    230,
    { reported_submission_at: 100, confirmed_read_up_to: 231 },
    false,
  ],
  ["a hand-over of the future was told: the clock was set back", 110, { reported_submission_at: -600 }, false],
  [
    "a later hand-over was told, and the queue is read for long",
    230,
    { reported_submission_at: 100, polled_since: 221 },
    true,
  ],
  [
    "a later hand-over was told, but the queue is read again only now",
    230,
    { reported_submission_at: 100, polled_since: 219 },
    false,
  ],
  [
    "the queue was empty, but is read again only now",
    230,
    { last_report_at: 300, queue_empty_at: 5, polled_since: 124 },
    false,
  ],
  ["the longest wait is over, and somebody was there all the time", 3_700, { workers_up_since: 3_601 }, true],
  ["the longest wait is over, but nobody was there to listen", 7_200, { workers_up_since: 3_599 }, false],
  [
    "the longest wait is over, but hand-overs are told that are older",
    3_700,
    { last_report_at: 5, reported_submission_at: 3_710 },
    false,
  ],
  [
    "the longest wait is over, and later hand-overs are told",
    3_700,
    { last_report_at: 5, reported_submission_at: 3_690 },
    true,
  ],
  [
    "the longest wait is over, and none was told for as long",
    3_700,
    { last_report_at: 3_650, reported_submission_at: 3_710 },
    true,
  ],
] as const;

describe("silence", () => {
  test.for(silences)("%s", async ([, secondsAgo, signs, isSilence]) => {
    const { id } = await inDoubtFor(secondsAgo);
    await setSigns(signs);
    expect(await resendInDoubt(database.db, "live", rule)).toEqual(isSilence ? [id] : []);
    expect(await queueRow(database.db, id)).toMatchObject({ state: isSilence ? "ready" : "in-doubt" });
  });

  test("signs of the other mode mean nothing", async () => {
    await inDoubtFor(130);
    await change(database.db, "update feedback_progress set reported_submission_at = now() where mode = 'test'");
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
  });
});

/** A consumer of whom there was a sign so many seconds ago, and what it had in hand is back in the queue so many later. */
const consumers = [
  [
    "of a consumer that died what it had in hand may not be read yet",
    { seen: 80, back: 60 },
    { reported_submission_at: 130 },
    false,
  ],
  ["what it had in hand is read", { seen: 195, back: 60 }, { reported_submission_at: 10 }, true],
  [
    "what it had in hand is back, but others may stand before it",
    { seen: 180, back: 60 },
    { reported_submission_at: 10 },
    false,
  ],
  [
    "nor is a queue empty as long as it is out of it",
    { seen: 80, back: 60 },
    { last_report_at: 300, queue_empty_at: 5 },
    false,
  ],
  ["a consumer that lives takes what it has in hand", { seen: 5, back: 60 }, { reported_submission_at: 130 }, true],
  [
    "a sign of life from the future is none: the clock was set back",
    { seen: -60, back: 60 },
    { reported_submission_at: 10 },
    false,
  ],
  ["the dead do not keep a send beyond the longest wait", { seen: 80, back: 60 }, { workers_up_since: 9_000 }, true],
] as const;

describe("silence and the hands of the dead", () => {
  test.for(consumers)("%s", async ([, { seen, back }, signs, isSilence]) => {
    const { id } = await inDoubtFor("workers_up_since" in signs ? 3_700 : 300);
    await setSigns(signs);
    await aConsumer("live", seen, back);
    expect(await resendInDoubt(database.db, "live", rule)).toEqual(isSilence ? [id] : []);
  });

  test("consumers of the other mode have nothing of it", async () => {
    const { id } = await inDoubtFor(300);
    await setSigns({ reported_submission_at: 130 });
    await aConsumer("test", 80, 60);
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([id]);
  });

  async function aConsumer(mode: string, seen: number, back: number) {
    await change(
      database.db,
      `insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
       values (gen_random_uuid(), $1, now() - make_interval(secs => $2), now() + make_interval(secs => $3 - $2))`,
      [mode, seen, back],
    );
  }
});

describe("policy", () => {
  test("resend: ready at its old place, one of several workers does it", async () => {
    const { id } = await inDoubtFor(4_000);
    const resent = await Promise.all(Array.from({ length: 8 }, () => resendInDoubt(database.db, "live", rule)));
    expect(resent.flat()).toEqual([id]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", attempt: 1, backoffStep: 0 });
    expect(await attemptsOf(database.db, id)).toEqual(["1 unknown"]);
  });

  test("fail: failed and out of the queue, until evidence corrects it", async () => {
    const { id } = await inDoubtFor(4_000);
    expect(await failInDoubt(database.db, "live", rule)).toEqual([id]);
    expect(await queueRow(database.db, id)).toBeUndefined();
    expect(await sendRow(database.db, id)).toMatchObject({ status: "failed", errorCode: "PROVIDER_OUTCOME_UNKNOWN" });
    await confirmSubmissions(database.db, [{ sendId: id, attempt: 1, providerMessageId: "m-1", at: undefined }]);
    expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", errorCode: null, providerMessageId: "m-1" });
  });

  test("fail leaves alone what is not silent", async () => {
    const { id } = await inDoubtFor(100);
    expect(await failInDoubt(database.db, "live", rule)).toEqual([]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });
});

test("after an unknown answer evidence is waited for from then on, however long the provider took", async () => {
  const send = await aClaimedSend(database.db);
  await passed(send.id, { sinceClaim: 130, sinceEnd: -10 });
  await leaveInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
  await change(database.db, "update feedback_progress set reported_submission_at = now() where mode = 'live'");
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
});

describe("promoting", () => {
  test("waiting sends that are due are ready again with what they had, others wait on", async () => {
    const [due, notYet] = [await aClaimedSend(database.db), await aClaimedSend(database.db)];
    const later = { outcome: "try-later", counts: true } as const;
    await retryLater(database.db, [{ ...attemptOf(due), ...later, delaySeconds: -1 }]);
    await retryLater(database.db, [{ ...attemptOf(notYet), ...later, delaySeconds: 5 }]);
    expect(await promoteDueSends(database.db, "live")).toBe(1);
    const row = { state: "ready", attempt: 1, backoffStep: 1, isRetrying: true, dueInSeconds: null };
    expect(await queueRow(database.db, due.id)).toMatchObject(row);
    expect(await queueRow(database.db, notYet.id)).toMatchObject({ state: "waiting" });
  });

  test("sends that are leased or in doubt are never promoted", async () => {
    const leased = await aClaimedSend(database.db);
    const { id: doubtful } = await inDoubtFor(4_000);
    await change(database.db, "update send_queue set due_at = now() - interval '1 hour'");
    expect(await promoteDueSends(database.db, "live")).toBe(0);
    expect(await queueRow(database.db, leased.id)).toMatchObject({ state: "leased" });
    expect(await queueRow(database.db, doubtful)).toMatchObject({ state: "in-doubt" });
  });
});

/** Each so many seconds ago. */
async function setSigns(signs: Record<string, number>) {
  for (const [column, seconds] of Object.entries(signs)) {
    await change(
      database.db,
      `update feedback_progress set ${column} = now() - make_interval(secs => $1) where mode = 'live'`,
      [seconds],
    );
  }
}

/** Moves the claim and the end of its lease, or of its doubt, into the past. */
async function passed(id: string, { sinceClaim, sinceEnd }: { sinceClaim: number; sinceEnd: number }) {
  await change(
    database.db,
    `update send_queue set attempted_at = now() - make_interval(secs => $2), due_at = now() - make_interval(secs => $3)
     where id = $1`,
    [id, sinceClaim, sinceEnd],
  );
}

async function inDoubtFor(seconds: number) {
  const send = await aClaimedSend(database.db);
  await leaveInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
  await passed(send.id, { sinceClaim: seconds, sinceEnd: seconds });
  return send;
}
