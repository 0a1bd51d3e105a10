import { expect, test } from "vitest";
import { aReport, permanentBounce, spamComplaint, transientBounce } from "../../test/feedback-report-fixture.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { anAccountThatSends, claimAll } from "../../test/usage-fixture.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { applyFeedback } from "../feedback/apply-feedback.ts";
import type { Feedback } from "../provider/feedback.ts";
import { foldUsage } from "./usage-chores.ts";

const database = useTestDatabase();
useEmptyQueue(database);

async function aReportedSend(account: Awaited<ReturnType<typeof anAccountThatSends>>, recipients: string[]) {
  const id = await account.accept(recipients);
  await claimAll(database.db);
  return { id, accountId: account.accountId, messageId: `m-${id}` };
}

async function apply(reports: Feedback[]): Promise<void> {
  await applyFeedback(database.db, reports, Date.now());
}

async function countsOf(accountId: string) {
  await foldUsage(database.db, 60_000);
  return change(
    database.db,
    "select epoch, outcomes, hard_bounces as hard, complaints from guard_counts where account_id = $1 order by epoch, day",
    [accountId],
  );
}

test("the guard counts each new delivery, hard bounce and complaint once, and neither soft bounces nor the SES simulator", async () => {
  const account = await anAccountThatSends(database.db);
  const recipients = ["a@x.test", "b@x.test", "c@x.test", "bounce@simulator.amazonses.com"];
  const send = await aReportedSend(account, recipients);
  const reports = [
    aReport(send, { kind: "delivery", recipients: ["a@x.test"], feedbackId: "1" }),
    aReport(send, { ...permanentBounce, recipients: ["b@x.test"], feedbackId: "2" }),
    aReport(send, { ...transientBounce, recipients: ["c@x.test"], feedbackId: "3" }),
    aReport(send, { ...spamComplaint, recipients: ["a@x.test"], feedbackId: "4" }),
    aReport(send, { ...permanentBounce, recipients: ["bounce@simulator.amazonses.com"], feedbackId: "5" }),
  ];
  await apply([...reports, ...reports]);
  await apply(reports);
  expect(await countsOf(account.accountId)).toEqual([{ epoch: 0, outcomes: 2, hard: 1, complaints: 1 }]);
});

test("after a release the guard counts only sends that were accepted later, in the new epoch", async () => {
  const account = await anAccountThatSends(database.db);
  const old = await aReportedSend(account, ["a@x.test", "b@x.test"]);
  await apply([aReport(old, { ...permanentBounce, recipients: ["a@x.test"], feedbackId: "1" })]);
  const release = "update accounts set guard_epoch = 1, guard_released_at = now() where id = $1";
  await change(database.db, release, [account.accountId]);
  await apply([aReport(old, { ...permanentBounce, recipients: ["b@x.test"], feedbackId: "2" })]);
  expect(await countsOf(account.accountId)).toEqual([]);
  const past = "update accounts set guard_released_at = now() - interval '2 s' where id = $1";
  await change(database.db, past, [account.accountId]);
  const fresh = await aReportedSend(account, ["c@x.test"]);
  await apply([aReport(fresh, { kind: "delivery", recipients: ["c@x.test"] })]);
  expect(await countsOf(account.accountId)).toEqual([{ epoch: 1, outcomes: 1, hard: 0, complaints: 0 }]);
});

test("the guard does not count test mail", async () => {
  const account = await anAccountThatSends(database.db);
  const send = await aReportedSend(account, ["a@x.test"]);
  await change(database.db, "update sends set mode = 'test' where id = $1", [send.id]);
  await apply([aReport(send, { kind: "delivery", recipients: ["a@x.test"] })]);
  expect(await countsOf(account.accountId)).toEqual([]);
});
