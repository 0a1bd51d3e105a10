import { describe, expect, test } from "vitest";
import { aClaimedSend, attemptOf } from "../../test/send-builders.ts";
import { attemptsOf, change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { confirmSubmissions } from "../queue/confirm-submission.ts";
import { markInDoubt } from "../queue/settle-sends.ts";
import { failInDoubt, resendInDoubt } from "./resolve-in-doubt.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const rule = { inDoubtSeconds: 120, inDoubtMaxSeconds: 3_600 };

/** Columns of `feedback_progress`; each value is an age in seconds. */
type Progress = Record<string, number>;

/** What is known, how many seconds ago the attempt ended, the progress of feedback, and whether the send is resolved. */
type Case = [name: string, endedSecondsAgo: number, progress: Progress, isResolved: boolean];

const evidenceAgainst: Case[] = [
  [
    "SES reported a submission made IN_DOUBT_SECONDS after the attempt ended",
    230,
    { reported_submission_at: 100 },
    true,
  ],
  [
    "SES reported a later submission, but one so close that the event may still arrive",
    230,
    { reported_submission_at: 120 },
    false,
  ],
  [
    "SES reported a submission made now, but the attempt ended less than IN_DOUBT_SECONDS ago",
    110,
    { reported_submission_at: 0 },
    false,
  ],
  ["SES reported only earlier submissions", 130, { reported_submission_at: 140, last_report_at: 10 }, false],
  ["SES reported a submission in the future: a clock was set back", 110, { reported_submission_at: -600 }, false],
  [
    "the queue was empty IN_DOUBT_SECONDS after the attempt, and an event arrived within 24 hours",
    130,
    { last_report_at: 7_200, queue_empty_at: 5 },
    true,
  ],
  [
    "the queue was empty, but before IN_DOUBT_SECONDS were over",
    130,
    { last_report_at: 7_200, queue_empty_at: 15 },
    false,
  ],
  [
    "the queue is empty, but no event arrived within 24 hours",
    130,
    { last_report_at: 90_000, queue_empty_at: 5 },
    false,
  ],
  ["the queue is empty, but no event ever arrived", 130, { queue_empty_at: 5 }, false],
  [
    "SES reported a later submission, and the confirmed progress is past the attempt",
    230,
    { reported_submission_at: 100, confirmed_read_up_to: 229 },
    true,
  ],
  [
    "SES reported a later submission, but the confirmed progress is not past the attempt",
    230,
    { reported_submission_at: 100, confirmed_read_up_to: 231 },
    false,
  ],
];

const resumedConsumers: Case[] = [
  [
    "SES reported a later submission, and consumers have been reading since before that time",
    230,
    { reported_submission_at: 100, polled_since: 221 },
    true,
  ],
  [
    "SES reported a later submission, but consumers resumed reading after that time",
    230,
    { reported_submission_at: 100, polled_since: 219 },
    false,
  ],
  [
    "the queue was empty, but consumers resumed reading after that time",
    230,
    { last_report_at: 300, queue_empty_at: 5, polled_since: 124 },
    false,
  ],
];

const givenUp: Case[] = [
  ["nothing is known, and IN_DOUBT_MAX_SECONDS are not over", 3_500, {}, false],
  ["nothing is known, and IN_DOUBT_MAX_SECONDS are over", 3_700, {}, true],
  ["IN_DOUBT_MAX_SECONDS are over, and workers were running all that time", 3_700, { workers_up_since: 3_601 }, true],
  [
    "IN_DOUBT_MAX_SECONDS are over, but workers were not running all that time",
    7_200,
    { workers_up_since: 3_599 },
    false,
  ],
  [
    "IN_DOUBT_MAX_SECONDS are over, but SES still reports submissions older than the attempt",
    3_700,
    { last_report_at: 5, reported_submission_at: 3_710 },
    false,
  ],
  [
    "IN_DOUBT_MAX_SECONDS are over, and SES reports submissions later than the attempt",
    3_700,
    { last_report_at: 5, reported_submission_at: 3_690 },
    true,
  ],
  [
    "IN_DOUBT_MAX_SECONDS are over, and no event arrived in that time",
    3_700,
    { last_report_at: 3_650, reported_submission_at: 3_710 },
    true,
  ],
];

describe.for([
  ["the absence of an event is evidence against the attempt (item 2 of the rule)", evidenceAgainst],
  ["absence proves nothing when consumers have only just resumed reading (item 3a)", resumedConsumers],
  ["a send is resolved without evidence after the longest wait (item 4)", givenUp],
] as const)("%s", ([, cases]) => {
  test.for(cases)("%s", async ([, endedSecondsAgo, progress, isResolved]) => {
    const { id } = await aSendInDoubt(endedSecondsAgo);
    await setProgress(progress);
    expect(await resendInDoubt(database.db, "live", rule)).toEqual(isResolved ? [id] : []);
    expect(await queueRow(database.db, id)).toMatchObject({ state: isResolved ? "ready" : "in-doubt" });
  });
});

test("the progress of the other mode proves nothing", async () => {
  await aSendInDoubt(130);
  await change(database.db, "update feedback_progress set reported_submission_at = now() where mode = 'test'");
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
});

/** Its last heartbeat, and how long after that heartbeat the queue redelivers its messages at the latest. */
interface Consumer {
  heartbeatSecondsAgo: number;
  visibleAgainSeconds: number;
}

const consumers: [name: string, Consumer, Progress, isResolved: boolean][] = [
  [
    "a crashed consumer may hold the event, and consumers have not read past its messages",
    { heartbeatSecondsAgo: 80, visibleAgainSeconds: 60 },
    { reported_submission_at: 130 },
    false,
  ],
  [
    "the messages of a crashed consumer are visible again, and consumers have read past them",
    { heartbeatSecondsAgo: 195, visibleAgainSeconds: 60 },
    { reported_submission_at: 10 },
    true,
  ],
  [
    "the messages of a crashed consumer are visible again, but others may be before them in the queue",
    { heartbeatSecondsAgo: 180, visibleAgainSeconds: 60 },
    { reported_submission_at: 10 },
    false,
  ],
  [
    "the queue is empty, but a crashed consumer may hold the event",
    { heartbeatSecondsAgo: 80, visibleAgainSeconds: 60 },
    { last_report_at: 300, queue_empty_at: 5 },
    false,
  ],
  [
    "a running consumer handles the messages it holds",
    { heartbeatSecondsAgo: 5, visibleAgainSeconds: 60 },
    { reported_submission_at: 130 },
    true,
  ],
  [
    "a heartbeat in the future does not count: a clock was set back",
    { heartbeatSecondsAgo: -60, visibleAgainSeconds: 60 },
    { reported_submission_at: 10 },
    false,
  ],
  [
    "a crashed consumer does not keep a send in doubt beyond IN_DOUBT_MAX_SECONDS",
    { heartbeatSecondsAgo: 80, visibleAgainSeconds: 60 },
    { workers_up_since: 9_000 },
    true,
  ],
];

describe("no evidence: messages in flight at a crashed consumer (item 3b)", () => {
  test.for(consumers)("%s", async ([, consumer, progress, isResolved]) => {
    const { id } = await aSendInDoubt("workers_up_since" in progress ? 3_700 : 300);
    await setProgress(progress);
    await aConsumer("live", consumer);
    expect(await resendInDoubt(database.db, "live", rule)).toEqual(isResolved ? [id] : []);
  });

  test("a crashed consumer of the other mode holds no event of this mode", async () => {
    const { id } = await aSendInDoubt(300);
    await setProgress({ reported_submission_at: 130 });
    await aConsumer("test", { heartbeatSecondsAgo: 80, visibleAgainSeconds: 60 });
    expect(await resendInDoubt(database.db, "live", rule)).toEqual([id]);
  });
});

describe("policy (item 5)", () => {
  test("resend: one of eight workers makes the send ready with its old attempt number", async () => {
    const { id } = await aSendInDoubt(4_000);
    const resent = await Promise.all(Array.from({ length: 8 }, () => resendInDoubt(database.db, "live", rule)));
    expect(resent.flat()).toEqual([id]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", attempt: 1, backoffStep: 0 });
    expect(await attemptsOf(database.db, id)).toEqual(["1 unknown"]);
  });

  test("fail: the send leaves the queue as failed, and a later event corrects it to sent", async () => {
    const { id } = await aSendInDoubt(4_000);
    expect(await failInDoubt(database.db, "live", rule)).toEqual([id]);
    expect(await queueRow(database.db, id)).toBeUndefined();
    expect(await sendRow(database.db, id)).toMatchObject({ status: "failed", errorCode: "PROVIDER_OUTCOME_UNKNOWN" });
    await confirmSubmissions(database.db, [{ sendId: id, attempt: 1, providerMessageId: "m-1", at: undefined }]);
    expect(await sendRow(database.db, id)).toMatchObject({ status: "sent", errorCode: null, providerMessageId: "m-1" });
  });

  test("fail: a send without evidence stays in doubt", async () => {
    const { id } = await aSendInDoubt(100);
    expect(await failInDoubt(database.db, "live", rule)).toEqual([]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });
});

test("after an unknown answer the wait for evidence starts at the answer, however long the provider took", async () => {
  const send = await aClaimedSend(database.db);
  await moveAttemptBack(send.id, { startedSecondsAgo: 130, endedSecondsAgo: -10 });
  await markInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
  await change(database.db, "update feedback_progress set reported_submission_at = now() where mode = 'live'");
  expect(await resendInDoubt(database.db, "live", rule)).toEqual([]);
});

async function setProgress(progress: Progress) {
  for (const [column, secondsAgo] of Object.entries(progress)) {
    await change(
      database.db,
      `update feedback_progress set ${column} = now() - make_interval(secs => $1) where mode = 'live'`,
      [secondsAgo],
    );
  }
}

async function aConsumer(mode: string, { heartbeatSecondsAgo, visibleAgainSeconds }: Consumer) {
  await change(
    database.db,
    `insert into feedback_consumers (id, mode, heartbeat_at, visible_again_at)
     values (gen_random_uuid(), $1, now() - make_interval(secs => $2), now() + make_interval(secs => $3 - $2))`,
    [mode, heartbeatSecondsAgo, visibleAgainSeconds],
  );
}

async function aSendInDoubt(endedSecondsAgo: number) {
  const send = await aClaimedSend(database.db);
  await markInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown" }]);
  await moveAttemptBack(send.id, { startedSecondsAgo: endedSecondsAgo, endedSecondsAgo });
  return send;
}

interface AttemptAges {
  startedSecondsAgo: number;
  endedSecondsAgo: number;
}

async function moveAttemptBack(id: string, { startedSecondsAgo, endedSecondsAgo }: AttemptAges) {
  await change(
    database.db,
    `update send_queue set attempted_at = now() - make_interval(secs => $2), due_at = now() - make_interval(secs => $3)
     where id = $1`,
    [id, startedSecondsAgo, endedSecondsAgo],
  );
}
