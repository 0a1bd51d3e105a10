import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aReport, spamComplaint } from "../../test/feedback-report-fixture.ts";
import { aPastSend, daysBefore, keptSince } from "../../test/past-records.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { dropOldRecords } from "../storage/old-records.ts";
import { retryQuarantined } from "./feedback-chores.ts";
import { createFeedbackReceiver } from "./receive-feedback.ts";

const database = useTestDatabase();
const kept = keptSince(60);

test("feedback about a dropped send is discarded and counted; feedback about an unknown send is quarantined", async () => {
  const dropped = await aReportedSend(daysBefore(kept, 10));
  await dropOldRecords(database.db, 60, 60_000);
  const { receive, counted } = aReceiver();
  expect(await receive(complaintAbout(dropped), "about a dropped send")).toBe("discarded");
  const [unknown] = await change(database.db, "select new_id_at($1) as id", [daysBefore(kept, -1)]);
  expect(await receive(complaintAbout({ ...dropped, id: String(unknown?.id) }), "unknown")).toBe("unknown-send");
  expect(await change(database.db, "select raw from feedback_quarantine")).toEqual([{ raw: "unknown" }]);
  expect(await counted("postern_feedback_received_total", { verdict: "discarded" })).toBe(1);
});

test("feedback in quarantine about a send that was dropped since goes with the next retry", async () => {
  const dropped = await aReportedSend(daysBefore(kept, 10));
  await dropOldRecords(database.db, 60, 60_000);
  await change(
    database.db,
    `insert into feedback_quarantine (reason, raw, raw_hash, next_try_at) values ('unknown-send', 'late', '\\x01', now())`,
  );
  const { receive, deps } = aReceiver();
  await retryQuarantined({ db: database.db, log: deps.log, receive, read: () => complaintAbout(dropped) });
  expect(await change(database.db, "select from feedback_quarantine where raw = 'late'")).toEqual([]);
});

test("feedback about an old send that is still there is applied, and keeps the send", async () => {
  const send = await aReportedSend(daysBefore(kept, 10));
  const { receive } = aReceiver();
  expect(await receive(complaintAbout(send), "late")).toBe("applied");
  await dropOldRecords(database.db, 60, 60_000);
  expect(await change(database.db, "select status from sends where id = $1", [send.id])).toEqual([
    { status: "complained" },
  ]);
});

async function aReportedSend(at: string) {
  const accountId = await anAccount(database.db);
  const id = await aPastSend(database.db, { accountId, at });
  return { id, accountId, messageId: `m-${id}` };
}

function complaintAbout(send: { id: string; accountId: string; messageId: string }) {
  return aReport(send, { ...spamComplaint, recipients: ["a@x.test"], feedbackId: send.id });
}

function aReceiver() {
  const { deps, counted } = aDeliveryFixture(database.db, aProviderThat(answers.accepted).provider);
  const clock = { now: () => Date.now(), observe: () => undefined };
  return { receive: createFeedbackReceiver({ ...deps, db: database.db, mode: "live", clock }), counted, deps };
}
