import { describe, expect, inject, onTestFinished, test } from "vitest";
import {
  aReport,
  aSubmittedSend,
  eventsOf,
  permanentBounce,
  type ReportedSend,
  recordOf,
  suppressionsOf,
} from "../../test/feedback-report-fixture.ts";
import { anOutgoingMove, noMove } from "../../test/move-builders.ts";
import { change } from "../../test/send-rows.ts";
import { copyTemplate, openTestDatabase } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Database, Queryable } from "../db/database.ts";
import { applyFeedback } from "../feedback/apply-feedback.ts";
import type { Feedback } from "../provider/feedback.ts";
import { countMovedFeedback, relayFeedback, relayReturnedFeedback } from "./relay-feedback.ts";

const source = useTestDatabase();
const target = useTestDatabase();
const none = { applied: 0, moved: 0, discarded: 0, "unknown-send": 0, "from-the-future": 0 };

describe("into the target", () => {
  test("reports are applied in their order and deleted, and a second run does nothing", async () => {
    const send = await aMovedSend();
    const reports = [
      aReport(send, { kind: "send" }),
      aReport(send, { ...permanentBounce, recipients: ["jane@x.test"], feedbackId: "f-1" }),
      aReport(send, { kind: "reject", reason: "Bad content" }),
    ];
    await applyFeedback(source.db, reports, Date.now());
    expect(await relay(send)).toEqual({ ...none, applied: 3 });
    expect(await recordOf(target.db, send)).toMatchObject({ status: "failed", messageId: send.messageId });
    expect(await eventsOf(target.db, send)).toHaveLength(1);
    expect(await suppressionsOf(target.db, send)).toEqual([{ email: "jane@x.test", reason: "hard_bounce" }]);
    expect(await stored(send)).toEqual([]);
    expect(await recordOf(source.db, send)).toMatchObject({ status: "queued" });
    expect(await eventsOf(source.db, send)).toEqual([]);
    expect(await relay(send)).toEqual(none);
  });

  test("a run that dies before the deletion is repeated and leads to the same record", async () => {
    const send = await aMovedSend();
    const delivery = aReport(send, { kind: "delivery", recipients: ["jane@x.test"] });
    await applyFeedback(source.db, [delivery, delivery], Date.now());
    await expect(relayFeedback(withoutDeletion(source.db), target.db, send.accountId)).rejects.toThrow("died");
    const [events, usage] = [await eventsOf(target.db, send), await usageOf(target.db, send)];
    expect(events).toHaveLength(1);
    expect(await stored(send)).toHaveLength(2);
    expect(await relay(send)).toEqual({ ...none, applied: 2 });
    expect(await stored(send)).toEqual([]);
    expect([await eventsOf(target.db, send), await usageOf(target.db, send)]).toEqual([events, usage]);
  });

  test("more than a page: all are applied, and those of another account stay", async () => {
    const [send, other] = [await aMovedSend(), await aMovedSend()];
    const now = Date.now();
    const deliveries = Array.from({ length: 450 }, (_, number) => [
      aReport(send, { kind: "delay", recipients: ["jane@x.test"], at: new Date(now - number).toISOString() }),
      aReport(other, { kind: "delivery", recipients: ["jane@x.test"] }),
    ]).flat();
    await applyFeedback(source.db, deliveries, Date.now());
    expect(await relay(send)).toEqual({ ...none, applied: 450 });
    expect(await stored(send)).toEqual([]);
    expect(await stored(other)).toHaveLength(450);
    expect(await change(target.db, "select from delivery_delays where send_id = $1", [send.id])).toHaveLength(450);
    const waiting = await countMovedFeedback(source.db);
    expect(waiting.filter(({ accountId }) => accountId === send.accountId)).toEqual([]);
    expect(waiting).toContainEqual({ accountId: other.accountId, reports: 450, oldestSeconds: expect.any(Number) });
  });

  test("a report about a send that the target does not have, or with a time in the future, stays until it can be applied", async () => {
    const [send, missing] = [await aMovedSend(), await aMovedSend({ isCopied: false })];
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const bounce = aReport(send, { ...permanentBounce, recipients: ["jane@x.test"], feedbackId: "f-1" });
    await store(send.accountId, [
      aReport(missing, { kind: "delivery", recipients: ["jane@x.test"] }),
      bounce,
      aReport(send, { kind: "delivery", recipients: ["jane@x.test"], at: future }),
    ]);
    const first = { ...none, applied: 1, "unknown-send": 1, "from-the-future": 1 };
    expect(await relay(send)).toEqual(first);
    expect(await relay(send)).toEqual({ ...first, applied: 0 });
    await copyInto(target.db, missing);
    expect(await relay(send)).toEqual({ ...none, applied: 1, "from-the-future": 1 });
  });

  test("a target from which the account moved on stores the reports for the next cell", async () => {
    const send = await aMovedSend();
    await applyFeedback(source.db, [aReport(send, { kind: "send" })], Date.now());
    await anOutgoingMove(target.db, send.accountId, "released");
    expect(await relay(send)).toEqual({ ...none, moved: 1 });
    expect(await stored(send)).toEqual([]);
    expect(await change(target.db, "select from moved_feedback where account_id = $1", [send.accountId])).toHaveLength(
      1,
    );
  });
});

describe("back into the source", () => {
  test("after an undo its own reports are applied", async () => {
    const send = await aMovedSend();
    await applyFeedback(source.db, [aReport(send, { kind: "send" })], Date.now());
    await noMove(source.db, send.accountId);
    expect(await relayFeedback(source.db, source.db, send.accountId)).toEqual({ ...none, applied: 1 });
    expect(await recordOf(source.db, send)).toMatchObject({ status: "sent" });
    expect(await stored(send)).toEqual([]);
  });

  test("while the account is frozen a run ends, and keeps them", async () => {
    const send = await aMovedSend();
    await applyFeedback(source.db, [aReport(send, { kind: "send" })], Date.now());
    expect(await relayFeedback(source.db, source.db, send.accountId)).toEqual({ ...none, moved: 1 });
    expect(await stored(send)).toHaveLength(1);
  });

  test.for(["copying", "held", "gone"] as const)(
    "the chore applies what was left of a move that is %s, and nothing of one that is frozen",
    async (state) => {
      const [returned, frozen] = [await aMovedSend(), await aMovedSend()];
      await applyFeedback(
        source.db,
        [aReport(returned, { kind: "send" }), aReport(frozen, { kind: "send" })],
        Date.now(),
      );
      if (state === "gone") await noMove(source.db, returned.accountId);
      else await anOutgoingMove(source.db, returned.accountId, state);
      expect(await relayReturnedFeedback(source.db)).toEqual([{ ...none, applied: 1 }]);
      expect(await recordOf(source.db, returned)).toMatchObject({ status: "sent" });
      expect(await stored(frozen)).toHaveLength(1);
      expect(await relayReturnedFeedback(source.db)).toEqual([]);
    },
  );
});

test("a target that cannot be reached keeps every report", async () => {
  const send = await aMovedSend();
  await applyFeedback(source.db, [aReport(send, { kind: "send" })], Date.now());
  const copy = await copyTemplate(inject("serverUrl"));
  onTestFinished(copy.drop);
  const db = openTestDatabase(copy.url);
  await db.close();
  await expect(relayFeedback(source.db, db, send.accountId)).rejects.toThrow();
  expect(await stored(send)).toHaveLength(1);
});

/** A send without an answer of the provider, whose account is frozen in the source, copied into the target. */
async function aMovedSend({ isCopied = true } = {}): Promise<ReportedSend> {
  const send = await aSubmittedSend(source.db, ["jane@x.test"], { isSent: false });
  await change(source.db, "delete from send_queue where id = $1", [send.id]);
  if (isCopied) await copyInto(target.db, send);
  await anOutgoingMove(source.db, send.accountId, "frozen");
  return send;
}

async function copyInto(db: Database, { id, accountId }: ReportedSend): Promise<void> {
  for (const [table, row] of [
    ["accounts", accountId],
    ["sends", id],
  ] as const) {
    const [found] = await change(source.db, `select to_jsonb(r) as row from ${table} r where id = $1`, [row]);
    await change(
      db,
      `insert into ${table} select (jsonb_populate_record(null::${table}, $1)).* on conflict do nothing`,
      [JSON.stringify(found?.row)],
    );
  }
}

function relay({ accountId }: ReportedSend) {
  return relayFeedback(source.db, target.db, accountId);
}

function withoutDeletion(db: Database): Queryable {
  return {
    query: (statement) => {
      if (statement.name === "delete-relayed-feedback") throw new Error("died");
      return db.query(statement);
    },
  };
}

function stored({ accountId }: ReportedSend) {
  return change(source.db, "select id from moved_feedback where account_id = $1", [accountId]);
}

async function store(accountId: string, reports: Feedback[]): Promise<void> {
  for (const report of reports) {
    await change(source.db, "insert into moved_feedback (account_id, feedback) values ($1, $2)", [
      accountId,
      JSON.stringify(report),
    ]);
  }
}

function usageOf(db: Database, { accountId }: ReportedSend) {
  return change(db, "select kind, amount from usage_deltas where account_id = $1 order by kind", [accountId]);
}
