import { describe, expect, test } from "vitest";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import {
  aReport,
  aSubmittedSend,
  permanentBounce,
  type ReportedSend,
  recordOf,
  spamComplaint,
} from "../../test/feedback-report-fixture.ts";
import { anOutgoingMove } from "../../test/move-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { createDatabaseClock } from "../db/database-clock.ts";
import type { Feedback } from "../provider/feedback.ts";
import { insertReports } from "../provider/sandbox/report-store.ts";
import { markSent } from "../queue/settle-sends.ts";
import { applyFeedback } from "./apply-feedback.ts";
import { createFeedbackReceiver } from "./receive-feedback.ts";
import { applySandboxReports } from "./sandbox-reports.ts";

const database = useTestDatabase();
const states = ["frozen", "released", "unknown"] as const;

describe.for(states)("reports about an account whose move is %s", (state) => {
  test("change nothing here, and are stored in their order, beside those of others, which are applied", async () => {
    const { db } = database;
    const moved = await aSubmittedSend(db, ["jane@x.test"]);
    const inDoubt = await withAccountOf(moved, { isSent: false });
    const other = await aSubmittedSend(db, ["ann@x.test"]);
    await anOutgoingMove(db, moved.accountId, state);
    const before = await recordsOf(moved);
    const reports = [aReport(inDoubt, { kind: "send" }), ...everyReport(moved), ...everyReport(other)];
    const { verdicts, ...effects } = await applyFeedback(db, reports, Date.now());
    expect(verdicts).toEqual([...Array(6).fill("moved"), ...Array(5).fill("applied")]);
    expect(effects).toEqual({ newEvents: 3, newSuppressions: 1, confirmed: 0, doubled: [], aheadAt: undefined });
    expect(await recordsOf(moved)).toEqual(before);
    expect(await recordOf(db, other)).toMatchObject({ status: "failed" });
    expect(await storedFor(moved)).toEqual(JSON.parse(JSON.stringify(reports.slice(0, 6))));
  });

  test("come again, and are stored again", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await anOutgoingMove(database.db, send.accountId, state);
    const reports = everyReport(send);
    for (let time = 0; time < 2; time++) await applyFeedback(database.db, reports, Date.now());
    expect(await storedFor(send)).toHaveLength(10);
  });
});

test.for(["copying", "held"] as const)("reports about an account whose move is %s are applied", async (state) => {
  const send = await aSubmittedSend(database.db, ["jane@x.test"]);
  await anOutgoingMove(database.db, send.accountId, state);
  const { verdicts } = await applyFeedback(database.db, everyReport(send), Date.now());
  expect(new Set(verdicts)).toEqual(new Set(["applied"]));
  expect(await storedFor(send)).toEqual([]);
});

test.for(["confirm-submissions", "reject-sends", "record-reports", "record-delays"])(
  "an account that is frozen just before %s keeps its record from then on, and loses no report",
  async (statement) => {
    const { db } = database;
    const moved = await aSubmittedSend(db, ["jane@x.test"]);
    const unconfirmed = await withAccountOf(moved, { isSent: false });
    const other = await aSubmittedSend(db, ["ann@x.test"], { isSent: false });
    let before: unknown;
    const frozenMeanwhile = beforeStatement(db, statement, async () => {
      await anOutgoingMove(db, moved.accountId, "frozen");
      before = await recordsOf(moved);
    });
    const reports = [...everyReport(moved), aReport(unconfirmed, { kind: "send" }), ...everyReport(other)];
    const { verdicts, ...effects } = await applyFeedback(frozenMeanwhile, reports, Date.now());
    expect(before).toBeDefined();
    expect(verdicts).toEqual([...Array(6).fill("moved"), ...Array(5).fill("applied")]);
    expect(await recordsOf(moved)).toEqual(before);
    expect(await storedFor(moved)).toEqual(JSON.parse(JSON.stringify(reports.slice(0, 6))));
    expect(await recordOf(db, other)).toMatchObject({ status: "failed" });
    // What the first try had stored already counts once.
    expect(effects.confirmed).toBe(statement === "confirm-submissions" ? 1 : 2);
    expect(effects.newEvents).toBe(statement === "record-delays" ? 6 : 3);
  },
);

test("texts that jsonb refuses are stored without what it refuses", async () => {
  const send = await aSubmittedSend(database.db, ["jane@x.test"]);
  await anOutgoingMove(database.db, send.accountId, "frozen");
  const reason = `\0 \ud800 ${"😀".repeat(600)}`;
  await applyFeedback(database.db, [aReport(send, { kind: "reject", reason })], Date.now());
  const [stored] = await storedFor(send);
  expect(stored).toMatchObject({ kind: "reject", reason: expect.stringMatching(/^� � 😀/u) });
});

test("a report of the sandbox about a frozen account leaves its table and is set aside; the receiver counts it as moved", async () => {
  const { deps, counted } = aDeliveryFixture(database.db, aProviderThat(answers.accepted).provider);
  const { db, log, metrics } = deps;
  const receive = createFeedbackReceiver({ db, log, metrics, mode: "test", clock: createDatabaseClock(Date.now()) });
  const send = await aSubmittedSend(database.db, ["jane@x.test"]);
  await anOutgoingMove(database.db, send.accountId, "frozen");
  const feedback = aReport(send, { kind: "delivery", recipients: ["jane@x.test"] });
  await insertReports(database.db, [{ feedback, happensInSeconds: -2, reportedInSeconds: -1 }]);
  await applySandboxReports(database.db, receive);
  expect(await storedFor(send)).toMatchObject([{ kind: "delivery", sendId: send.id }]);
  expect(await change(database.db, "select from sandbox_reports")).toEqual([]);
  expect(await change(database.db, "select from feedback_quarantine")).toEqual([]);
  expect(await recordOf(database.db, send)).toMatchObject({ status: "sent" });
  expect(await counted("postern_feedback_received_total", { kind: "delivery", verdict: "moved" })).toBe(1);
});

test("a worker that settles after its account was frozen changes nothing of it, and the others of its set are recorded", async () => {
  const { db } = database;
  const [moved, other] = [
    await aSubmittedSend(db, ["jane@x.test"], { isSent: false }),
    await aSubmittedSend(db, ["ann@x.test"], { isSent: false }),
  ];
  // Both lost their leases meanwhile.
  await change(db, "delete from send_queue where id = any ($1::uuid[])", [[moved.id, other.id]]);
  await anOutgoingMove(db, moved.accountId, "frozen");
  const before = await recordsOf(moved);
  const attempts = [moved, other].map(({ id, messageId }) => ({
    sendId: id,
    attempt: 1,
    startedAt: new Date().toISOString(),
    outcome: "accepted" as const,
    providerMessageId: messageId,
  }));
  expect(await markSent(db, attempts)).toEqual(["known", "sent"]);
  expect(await recordsOf(moved)).toEqual(before);
  expect(await recordOf(db, other)).toMatchObject({ status: "sent" });
});

/** Each kind but the confirmation, so that every statement that applies reports has something to write. */
function everyReport(send: ReportedSend): Feedback[] {
  const recipients = ["jane@x.test"];
  return [
    aReport(send, { kind: "delivery", recipients }),
    aReport(send, { ...permanentBounce, recipients, feedbackId: "f-1", replies: [{ status: "5.1.1", text: "gone" }] }),
    aReport(send, { ...spamComplaint, recipients, feedbackId: "f-2" }),
    aReport(send, { kind: "delay", delayType: "MailboxFull", recipients }),
    aReport(send, { kind: "reject", reason: "Bad content" }),
  ];
}

/** Another send of the same account. */
async function withAccountOf({ accountId }: ReportedSend, options: { isSent: boolean }): Promise<ReportedSend> {
  const send = await aSubmittedSend(database.db, ["bob@x.test"], options);
  for (const table of ["sends", "send_queue"])
    await change(database.db, `update ${table} set account_id = $2 where id = $1`, [send.id, accountId]);
  return { ...send, accountId };
}

function beforeStatement(db: Queryable, name: string, work: () => Promise<void>): Queryable {
  let isDone = false;
  return {
    query: async (statement) => {
      if (statement.name === name && !isDone) {
        isDone = true;
        await work();
      }
      return db.query(statement);
    },
  };
}

async function storedFor({ accountId }: ReportedSend): Promise<unknown[]> {
  const rows = await change(database.db, "select feedback from moved_feedback where account_id = $1 order by id", [
    accountId,
  ]);
  return rows.map(({ feedback }) => feedback);
}

/** Everything that reports can change. */
async function recordsOf({ accountId }: ReportedSend): Promise<unknown> {
  const found = [
    "sends",
    "send_queue",
    "events",
    "delivery_delays",
    "suppressions",
    "usage_deltas",
    "notifications",
  ].map(async (table) => [
    table,
    await change(
      database.db,
      `select to_jsonb(r) as row from ${table} r where account_id = $1 order by to_jsonb(r)::text`,
      [accountId],
    ),
  ]);
  const attempts = await change(
    database.db,
    `select to_jsonb(a) as row from send_attempts a join sends s on s.id = a.send_id where s.account_id = $1
     order by to_jsonb(a)::text`,
    [accountId],
  );
  return [...(await Promise.all(found)), attempts];
}
