import { expect, test } from "vitest";
import {
  aReport,
  aSubmittedSend,
  permanentBounce,
  type ReportedSend,
  spamComplaint,
} from "../../test/feedback-report-fixture.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { findEvents } from "../events/event-store.ts";
import type { Feedback } from "../provider/feedback.ts";
import { findTimeline } from "../sends/send-timeline.ts";
import { listSuppressions } from "../suppressions/suppression-store.ts";
import { applyFeedback } from "./apply-feedback.ts";

const database = useTestDatabase();

const apply = (reports: Feedback[]) => applyFeedback(database.db, reports, Date.now());

async function eventsOf({ id, accountId }: ReportedSend) {
  const none = { type: undefined, recipient: undefined, before: undefined, since: undefined, until: undefined };
  const { events } = await findEvents(database.db.forAccount(accountId), ["live"], { ...none, sendId: id, limit: 10 });
  return events.toSorted((one, other) => one.recipient.localeCompare(other.recipient));
}

test("each bounced recipient keeps the words of its own server", async () => {
  const send = await aSubmittedSend(database.db, ["Jane@x.test", "max@y.test"]);
  const replies = [
    { status: "5.1.1", text: "smtp; 550 5.1.1 user unknown" },
    { status: "5.2.2", text: "smtp; 552 5.2.2 mailbox full" },
  ];
  const recipients = ["jane@x.test", "max@y.test"];
  const reportingMta = "dns; mx.example.test";
  await apply([aReport(send, { ...permanentBounce, recipients, replies, reportingMta, feedbackId: "f" })]);
  expect(await eventsOf(send)).toMatchObject([
    { recipient: "Jane@x.test", replyStatus: "5.1.1", reply: "smtp; 550 5.1.1 user unknown", reportingMta },
    { recipient: "max@y.test", replyStatus: "5.2.2", reply: "smtp; 552 5.2.2 mailbox full", reportingMta },
  ]);
});

test("a delivery keeps the answer of the server and how long SES took", async () => {
  const send = await aSubmittedSend(database.db, ["jane@x.test"]);
  const replies = [{ text: "250 2.0.0 OK" }];
  await apply([aReport(send, { kind: "delivery", recipients: ["jane@x.test"], replies, durationMs: 1234 })]);
  expect(await eventsOf(send)).toMatchObject([{ reply: "250 2.0.0 OK", replyStatus: null, durationMs: 1234 }]);
});

test("a delay is one entry of the timeline however often it is reported, and changes neither status nor events", async () => {
  const send = await aSubmittedSend(database.db, ["Jane@x.test"]);
  const delay = aReport(send, {
    kind: "delay",
    recipients: ["jane@x.test"],
    replies: [{ status: "4.4.1", text: "smtp; 421 4.4.1 Unable to connect" }],
    delayType: "TransientCommunicationFailure",
    expiresAt: "2026-12-24T00:00:00.000Z",
  });
  await apply([delay]);
  await apply([delay, delay]);
  const timeline = await findTimeline(
    database.db.forAccount(send.accountId),
    { modes: ["live"], domain: undefined },
    send.id,
  );
  expect(timeline?.send.status).toBe("sent");
  expect(await eventsOf(send)).toEqual([]);
  expect(timeline?.entries.filter(({ type }) => type === "delayed")).toEqual([
    expect.objectContaining({
      recipient: "Jane@x.test",
      delayType: "TransientCommunicationFailure",
      replyStatus: "4.4.1",
      reply: "smtp; 421 4.4.1 Unable to connect",
      expiresAt: "2026-12-24T00:00:00.000Z",
    }),
  ]);
});

test("no other account sees the delays of a send", async () => {
  const [send, other] = [
    await aSubmittedSend(database.db, ["jane@x.test"]),
    await aSubmittedSend(database.db, ["max@x.test"]),
  ];
  await apply([aReport(send, { kind: "delay", recipients: ["jane@x.test"] })]);
  const rows = await database.db.forAccount(other.accountId).query({
    name: "all-delays",
    text: `select id from delivery_delays`,
  });
  expect(rows).toEqual([]);
});

test("a suppression names the send that caused it; a complaint after a bounce replaces both", async () => {
  const bounced = await aSubmittedSend(database.db, ["jane@x.test"]);
  await apply([aReport(bounced, { ...permanentBounce, recipients: ["jane@x.test"], feedbackId: "f" })]);
  const list = () => listSuppressions(database.db.forAccount(bounced.accountId), ["live"], { limit: 10, offset: 0 });
  expect((await list()).suppressions).toMatchObject([{ reason: "hard_bounce", sendId: bounced.id }]);
  await apply([aReport(bounced, { ...spamComplaint, recipients: ["jane@x.test"], feedbackId: "g" })]);
  expect((await list()).suppressions).toMatchObject([{ reason: "complaint", sendId: bounced.id }]);
});
