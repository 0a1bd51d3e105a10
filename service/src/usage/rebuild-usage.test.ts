import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aReport, permanentBounce, spamComplaint, transientBounce } from "../../test/feedback-report-fixture.ts";
import { aSuppression, attemptOf } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { anAccountThatSends, claimAll, differencesOf } from "../../test/usage-fixture.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { applyFeedback } from "../feedback/apply-feedback.ts";
import { failInDoubt } from "../in-doubt/resolve-in-doubt.ts";
import { cancelSends } from "../queue/cancel-sends.ts";
import { confirmSubmissions } from "../queue/confirm-submission.ts";
import { retryFailed } from "../queue/retry-failed.ts";
import { markFailed, markInDoubt } from "../queue/settle-sends.ts";
import { readUsage } from "./read-usage.ts";
import { foldUsage } from "./usage-chores.ts";

const database = useTestDatabase();
useEmptyQueue(database);

async function usageOf(accountId: string) {
  const [from, to] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)];
  for (const time of [from, to]) time.setUTCHours(0, 0, 0, 0);
  const query = {
    from: from.toISOString(),
    to: to.toISOString(),
    by: "hour",
    isByDomain: false,
    maxEntries: 100,
  } as const;
  const rows = await readUsage(database.db.forAccount(accountId), { modes: ["live"], ...query });
  const sum = (name: "failed" | "delivered" | "suppressed" | "delayed" | "acceptedRecipients") =>
    rows.reduce((total, row) => total + row[name], 0);
  return { rows, sum };
}

async function failedSend(recipients: string[]) {
  const account = await anAccountThatSends(database.db);
  const id = await account.accept(recipients);
  const [claimed] = await claimAll(database.db);
  if (claimed?.id !== id) throw new Error("another send was claimed");
  const failure = { outcome: "refused", code: "PROVIDER_REJECTED", message: "no" } as const;
  await markFailed(database.db, [{ ...attemptOf(claimed), ...failure }]);
  await markFailed(database.db, [{ ...attemptOf(claimed), ...failure }]);
  return { ...account, id };
}

describe("a send counts as failed exactly while its status is failed:", () => {
  test("a refusal counts once, and evidence that it went out takes it back once", async () => {
    const { accountId, id } = await failedSend(["a@x.test", "b@x.test"]);
    expect((await usageOf(accountId)).sum("failed")).toBe(2);
    await foldUsage(database.db, 60_000);
    const evidence = { sendId: id, attempt: 1, providerMessageId: "m-1", at: undefined };
    for (let time = 0; time < 2; time++) await confirmSubmissions(database.db, [evidence]);
    expect((await usageOf(accountId)).sum("failed")).toBe(0);
    expect(await differencesOf(database.db, accountId)).toEqual([]);
  });

  test("evidence about a send that failed before usage was counted does not make it negative", async () => {
    const { accountId, id } = await failedSend(["a@x.test", "b@x.test"]);
    await change(database.db, "delete from usage_deltas where account_id = $1 and kind = 6", [accountId]);
    await confirmSubmissions(database.db, [{ sendId: id, attempt: 1, providerMessageId: "m-1", at: undefined }]);
    expect((await usageOf(accountId)).sum("failed")).toBe(0);
    expect(await differencesOf(database.db, accountId, true)).toMatchObject([{ kind: 6, amount: 2 }]);
    expect(await differencesOf(database.db, accountId)).toEqual([]);
  });

  test("a retry by the operator takes it back, and cancelling it counts it again", async () => {
    const { accountId, id, domain } = await failedSend(["a@x.test"]);
    for (let time = 0; time < 2; time++) {
      await retryFailed(database.db, "PROVIDER_REJECTED", [{ id, fromDomain: domain, position: 1 }]);
    }
    expect((await usageOf(accountId)).sum("failed")).toBe(0);
    expect(await differencesOf(database.db, accountId)).toEqual([]);
    for (let time = 0; time < 2; time++) await cancelSends(database.db, { accountId, message: "no" });
    expect((await usageOf(accountId)).sum("failed")).toBe(1);
    expect(await differencesOf(database.db, accountId)).toEqual([]);
  });

  test("an unknown outcome that is given up counts", async () => {
    const { accountId, accept } = await anAccountThatSends(database.db);
    await accept(["a@x.test"]);
    const [claimed] = await claimAll(database.db);
    await markInDoubt(database.db, claimed === undefined ? [] : [{ ...attemptOf(claimed), outcome: "unknown" }]);
    await change(database.db, "update send_queue set due_at = now() - interval '2 days'");
    await change(
      database.db,
      "update feedback_progress set workers_up_since = now() - interval '3 days' where mode = 'live'",
    );
    expect(await failInDoubt(database.db, "live", { inDoubtSeconds: 120, inDoubtMaxSeconds: 3600 })).toHaveLength(1);
    expect((await usageOf(accountId)).sum("failed")).toBe(1);
    expect(await differencesOf(database.db, accountId)).toEqual([]);
  });

  test("a rejection by the provider after acceptance counts once", async () => {
    const { accountId, accept } = await anAccountThatSends(database.db);
    const send = { id: await accept(["a@x.test"]), accountId, messageId: "m-2" };
    await claimAll(database.db);
    const reports = [aReport(send, { kind: "reject", reason: "virus" })];
    for (let time = 0; time < 2; time++) await applyFeedback(database.db, reports, Date.now());
    expect((await usageOf(accountId)).sum("failed")).toBe(1);
    expect(await differencesOf(database.db, accountId)).toEqual([]);
  });
});

test("repeated reports, in one set and in several, count once, in the hour in which they happened", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  const send = { id: await accept(["a@x.test", "b@x.test", "c@x.test", "d@x.test"]), accountId, messageId: "m-3" };
  await claimAll(database.db);
  const later = new Date(Date.now() + 60_000).toISOString();
  const reports = [
    aReport(send, { kind: "delivery", recipients: ["a@x.test"], durationMs: 500, at: later }),
    aReport(send, { kind: "delivery", recipients: ["b@x.test"], durationMs: 501, at: later }),
    aReport(send, { kind: "delivery", recipients: ["c@x.test"], durationMs: 99_999_999, at: later }),
    aReport(send, { kind: "delivery", recipients: ["d@x.test"], at: later }),
    aReport(send, { ...permanentBounce, recipients: ["b@x.test"], feedbackId: "f-1" }),
    aReport(send, { ...transientBounce, recipients: ["c@x.test"], feedbackId: "f-2" }),
    aReport(send, { ...spamComplaint, recipients: ["d@x.test"], feedbackId: "f-3" }),
    aReport(send, { kind: "delay", recipients: ["a@x.test"], feedbackId: "f-4" }),
  ];
  await applyFeedback(database.db, [...reports, ...reports], Date.now());
  await foldUsage(database.db, 60_000);
  await applyFeedback(database.db, reports.toReversed(), Date.now());
  const { rows, sum } = await usageOf(accountId);
  expect([sum("delivered"), sum("delayed"), sum("acceptedRecipients")]).toEqual([4, 1, 4]);
  const times = rows
    .map(({ deliveryTimes }) => deliveryTimes)
    .reduce((a, b) => a.map((one, index) => one + (b[index] ?? 0)));
  expect(times).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
});

test("a recipient that is suppressed after acceptance counts at the claim", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  await accept(["gone@x.test", "a@x.test"]);
  await aSuppression(database.db, { accountId, email: "gone@x.test" });
  await claimAll(database.db);
  expect((await usageOf(accountId)).sum("suppressed")).toBe(1);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
});

test("a rebuild finds counters that are wrong, and corrects them once, whether folded or not", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  await accept(["a@x.test", "b@x.test"]);
  await foldUsage(database.db, 60_000);
  const other = await anAccount(database.db);
  const spoil =
    "update usage_hours set accepted_recipients = 7, failed = 3, delivery_times = '{1,2}', delivered = 4 where account_id = $1";
  await change(database.db, spoil, [accountId]);
  const amounts = (await differencesOf(database.db, accountId)).map(({ kind, amount }) => [kind, amount]);
  expect(amounts).toEqual([
    [0, -5],
    [1, -1],
    [6, -3],
    [16, -1],
    [17, -2],
  ]);
  await accept(["c@x.test"]);
  await differencesOf(database.db, accountId, true);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
  expect((await usageOf(accountId)).sum("acceptedRecipients")).toBe(3);
  expect(await differencesOf(database.db, other)).toEqual([]);
});

describe("a rebuild finds nothing to correct", () => {
  const scheduleAll = (accountId: string) =>
    change(
      database.db,
      `with queued as (
         delete from send_queue where account_id = $1 returning *
       ), content as (
         delete from send_contents c using queued where c.id = queued.id returning c.id, c.sealed
       ), dated as (
         update sends set scheduled_at = now() + interval '1 day' from queued where sends.id = queued.id
       )
       insert into scheduled_sends (id, account_id, mode, scheduled_at, from_domain, counted_recipients, recipients, sealed)
       select queued.id, account_id, mode, now() + interval '1 day', from_domain, counted_recipients, recipients, sealed
       from queued
       join content using (id)`,
      [accountId],
    );

  test("while sends are scheduled, and after they were cancelled, which deletes their content", async () => {
    const { accountId, accept } = await anAccountThatSends(database.db);
    await accept(["a@x.test"]);
    await scheduleAll(accountId);
    expect(await differencesOf(database.db, accountId)).toEqual([]);
    await cancelSends(database.db, { accountId, message: "no" });
    expect(await differencesOf(database.db, accountId)).toEqual([]);
  });

  test("for content that is in kept_contents", async () => {
    const { accountId, accept } = await anAccountThatSends(database.db);
    const id = await accept(["a@x.test"]);
    await change(
      database.db,
      `with content as (delete from send_contents where id = $1 returning id, sealed)
       insert into kept_contents (id, sealed, counted_from) select id, sealed, now() from content`,
      [id],
    );
    expect(await differencesOf(database.db, accountId)).toEqual([]);
  });
});
