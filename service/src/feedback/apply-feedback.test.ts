import { describe, expect, test } from "vitest";
import {
  aReport,
  aSubmittedSend,
  eventsOf,
  permanentBounce,
  type ReportDetails,
  recordOf,
  spamComplaint,
  suppressionsOf,
  transientBounce,
} from "../../test/feedback-report-fixture.ts";
import { aSuppression } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Feedback } from "../provider/feedback.ts";
import { applyFeedback } from "./apply-feedback.ts";

const database = useTestDatabase();

describe("a report changes the status", () => {
  test("Delivery: the send is delivered, with an event", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([aReport(send, { kind: "delivery", recipients: ["jane@x.test"] })]);
    expect(await recordOf(database.db, send)).toMatchObject({ status: "delivered" });
    expect(await eventsOf(database.db, send)).toMatchObject([
      { type: "Delivery", recipient: "jane@x.test", bounceType: null },
    ]);
    expect(await suppressionsOf(database.db, send)).toEqual([]);
  });

  test("Permanent bounce: the send is bounced, and the address is suppressed as hard_bounce", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([aReport(send, { ...permanentBounce, recipients: ["jane@x.test"], feedbackId: "f" })]);
    expect(await recordOf(database.db, send)).toMatchObject({ status: "bounced" });
    expect(await eventsOf(database.db, send)).toMatchObject([
      { type: "Bounce", bounceType: "Permanent", bounceSubtype: "NoEmail" },
    ]);
    expect(await suppressionsOf(database.db, send)).toEqual([{ email: "jane@x.test", reason: "hard_bounce" }]);
  });

  test("Transient bounce: the send is bounced, and no address is suppressed", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([aReport(send, { ...transientBounce, recipients: ["jane@x.test"] })]);
    expect(await recordOf(database.db, send)).toMatchObject({ status: "bounced" });
    expect(await suppressionsOf(database.db, send)).toEqual([]);
  });

  test("Complaint: the send is complained, and the address is suppressed as complaint", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([aReport(send, { ...spamComplaint, recipients: ["jane@x.test"] })]);
    expect(await recordOf(database.db, send)).toMatchObject({ status: "complained" });
    expect(await eventsOf(database.db, send)).toMatchObject([{ type: "Complaint", complaintType: "abuse" }]);
    expect(await suppressionsOf(database.db, send)).toEqual([{ email: "jane@x.test", reason: "complaint" }]);
  });

  test("a later report does not replace a graver one", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    const statuses: unknown[] = [];
    const delivery = { kind: "delivery" } as const;
    const reports = [
      { ...transientBounce, feedbackId: "1" },
      permanentBounce,
      delivery,
      spamComplaint,
      permanentBounce,
    ];
    for (const report of reports) {
      await apply([aReport(send, { ...report, recipients: ["jane@x.test"] })]);
      statuses.push((await recordOf(database.db, send))?.status);
    }
    expect(statuses).toEqual(["bounced", "bounced", "bounced", "complained", "complained"]);
  });

  test("a later report does not replace a graver one, even if it is new for another recipient", async () => {
    const recipients = ["jane@x.test", "john@x.test"];
    const send = await aSubmittedSend(database.db, recipients);
    await apply([aReport(send, { ...permanentBounce, recipients: ["jane@x.test"] })]);
    await apply([aReport(send, { kind: "delivery", recipients })]);
    expect((await recordOf(database.db, send))?.status).toBe("bounced");
  });

  test("a complaint that is not about spam is stored and suppresses no address", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([
      aReport(send, { kind: "complaint", complaintType: "not-spam", isSpam: false, recipients: ["jane@x.test"] }),
    ]);
    expect(await eventsOf(database.db, send)).toHaveLength(1);
    expect(await suppressionsOf(database.db, send)).toEqual([]);
  });

  test("Reject: the send fails with PROVIDER_REJECTED, and a later Send report does not undo it", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([aReport(send, { kind: "reject", reason: "Bad content" })]);
    expect(await recordOf(database.db, send)).toMatchObject({
      status: "failed",
      code: "PROVIDER_REJECTED",
      messageId: send.messageId,
    });
    await apply([aReport(send, { kind: "send" })]);
    expect(await recordOf(database.db, send)).toMatchObject({ status: "failed" });
  });

  test("a delay and a repeated Send report change nothing", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([aReport(send, { kind: "delay" }), aReport(send, { kind: "send" })]);
    expect(await recordOf(database.db, send)).toMatchObject({ status: "sent" });
    expect(await eventsOf(database.db, send)).toEqual([]);
  });
});

describe("a report is attributed to a recipient", () => {
  test("whatever the case of the address", async () => {
    const send = await aSubmittedSend(database.db, ["Jane@X.test", "b@x.test"]);
    await apply([aReport(send, { ...permanentBounce, recipients: ["JANE@x.TEST"] })]);
    expect(await suppressionsOf(database.db, send)).toEqual([{ email: "jane@x.test", reason: "hard_bounce" }]);
  });

  test("of a send with one recipient, even if it names another address", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    await apply([aReport(send, { ...permanentBounce, recipients: ["forwarded@elsewhere.test"] })]);
    expect(await eventsOf(database.db, send)).toMatchObject([{ recipient: "jane@x.test" }]);
    expect(await suppressionsOf(database.db, send)).toEqual([{ email: "jane@x.test", reason: "hard_bounce" }]);
  });

  test("but not if the send has several recipients and none has the address: then only the event is stored", async () => {
    const send = await aSubmittedSend(database.db, ["a@x.test", "b@x.test"]);
    await apply([aReport(send, { ...permanentBounce, recipients: ["forwarded@elsewhere.test"] })]);
    expect(await recordOf(database.db, send)).toMatchObject({ status: "sent" });
    expect(await eventsOf(database.db, send)).toMatchObject([{ recipient: "forwarded@elsewhere.test" }]);
    expect(await suppressionsOf(database.db, send)).toEqual([]);
  });
});

describe("a suppression", () => {
  test("that was imported becomes one that SES reported, without a weaker reason", async () => {
    const send = await aSubmittedSend(database.db, ["a@x.test"]);
    const { accountId } = send;
    await aSuppression(database.db, { accountId, email: "a@x.test", reason: "complaint", isReported: false });
    const reported = () =>
      change(
        database.db,
        'select reason, reported_reason as "reportedReason", reported_at is not null as "isDated", send_id as "sendId" from suppressions where account_id = $1',
        [accountId],
      );
    await apply([aReport(send, { ...permanentBounce, recipients: ["a@x.test"] })]);
    const bounced = { reason: "complaint", reportedReason: "hard_bounce", isDated: true, sendId: null };
    expect(await reported()).toEqual([bounced]);
    await apply([aReport(send, { ...spamComplaint, recipients: ["a@x.test"] })]);
    expect(await reported()).toEqual([{ ...bounced, reportedReason: "complaint" }]);
  });

  test("changes its reason from hard_bounce to complaint, and never the reverse", async () => {
    const send = await aSubmittedSend(database.db, ["a@x.test"]);
    await aSuppression(database.db, { accountId: send.accountId, email: "a@x.test" });
    await apply([aReport(send, { ...spamComplaint, recipients: ["a@x.test"] })]);
    expect(await suppressionsOf(database.db, send)).toEqual([{ email: "a@x.test", reason: "complaint" }]);
    await apply([aReport(send, { ...permanentBounce, recipients: ["a@x.test"] })]);
    expect(await suppressionsOf(database.db, send)).toEqual([{ email: "a@x.test", reason: "complaint" }]);
  });

  test("that somebody added by hand gets the reason of a bounce or complaint, with the send that caused it", async () => {
    for (const [report, reason] of [
      [permanentBounce, "hard_bounce"],
      [spamComplaint, "complaint"],
    ] as const) {
      const send = await aSubmittedSend(database.db, ["a@x.test"]);
      await aSuppression(database.db, { accountId: send.accountId, email: "a@x.test", reason: "manual" });
      await apply([aReport(send, { ...report, recipients: ["a@x.test"] })]);
      expect(await suppressionsOf(database.db, send)).toEqual([{ email: "a@x.test", reason }]);
    }
  });

  test("that was removed is not restored by a repeated report", async () => {
    const send = await aSubmittedSend(database.db, ["a@x.test"]);
    const report = aReport(send, { ...permanentBounce, recipients: ["a@x.test"], feedbackId: "f" });
    await apply([report]);
    await database.db.query({
      name: "unsuppress",
      text: `delete from suppressions where account_id = $1`,
      values: [send.accountId],
    });
    await apply([report]);
    expect(await suppressionsOf(database.db, send)).toEqual([]);
  });
});

describe("a report is evidence", () => {
  test.each<ReportDetails>([{ kind: "send" }, { kind: "delivery", recipients: ["jane@x.test"] }, { kind: "delay" }])(
    "that the provider accepted the attempt, before the worker has settled it: $kind",
    async (details) => {
      const send = await aSubmittedSend(database.db, ["jane@x.test"], { isSent: false });
      const applied = await apply([aReport(send, details)]);
      expect(applied.confirmed).toBe(1);
      expect(await recordOf(database.db, send)).toMatchObject({
        status: details.kind === "delivery" ? "delivered" : "sent",
        messageId: send.messageId,
        isQueued: false,
      });
    },
  );

  test("of a second mail if it names a second attempt, counted once", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    const second = { ...aReport(send, { kind: "send" }), attempt: 2, providerMessageId: "another" };
    expect((await apply([second])).doubled).toEqual([send.id]);
    expect((await apply([second])).doubled).toEqual([]);
  });
});

describe("a report is not applied", () => {
  test("if the send is unknown or the tags are missing", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    const unknownSend = { ...send, id: "01a1ddd0-0000-7000-8000-000000000000" };
    const untagged = { ...aReport(send, { kind: "delivery", recipients: ["jane@x.test"] }), sendId: undefined };
    const known = aReport(send, { kind: "delivery", recipients: ["jane@x.test"] });
    const { verdicts } = await apply([aReport(unknownSend, { kind: "send" }), untagged, known]);
    expect(verdicts).toEqual(["unknown-send", "unknown-send", "applied"]);
  });

  test("if its time is more than five minutes in the future", async () => {
    const send = await aSubmittedSend(database.db, ["jane@x.test"]);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const report = (ms: number) => ({
      ...aReport(send, { kind: "delivery", recipients: ["jane@x.test"] }),
      at: at(ms),
    });
    expect((await apply([report(6 * 60_000), report(4 * 60_000)])).verdicts).toEqual(["from-the-future", "applied"]);
  });
});

function apply(reports: Feedback[]) {
  return applyFeedback(database.db, reports, Date.now());
}
