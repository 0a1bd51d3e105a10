import { expect, test } from "vitest";
import { aReport, spamComplaint } from "../../test/feedback-report-fixture.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { anAccountThatSends, claimAll, differencesOf } from "../../test/usage-fixture.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { applyFeedback } from "../feedback/apply-feedback.ts";
import { findOldestRecordAt } from "../storage/partitions.ts";
import { rebuildUsageDay } from "./rebuild-usage.ts";
import { foldUsage } from "./usage-chores.ts";
import { usageKinds } from "./usage-kinds.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("a correction subtracts no outcome whose send is gone, and still adds what is missing", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  const sends = [];
  for (const recipient of ["a@x.test", "b@x.test"]) {
    sends.push({ id: await accept([recipient]), accountId, messageId: `m-${recipient}`, recipients: [recipient] });
  }
  await claimAll(database.db);
  const reports = sends.map((send) =>
    aReport(send, { ...spamComplaint, recipients: send.recipients, feedbackId: send.id }),
  );
  await applyFeedback(database.db, reports, Date.now());
  await foldUsage(database.db, 60_000);
  const moveEvent = "update events set send_id = first_id_at(now() - interval '70 days') where send_id = $1";
  await change(database.db, moveEvent, [sends[0]?.id]);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
  await change(database.db, "update usage_hours set complained = 0 where account_id = $1", [accountId]);
  expect(await differencesOf(database.db, accountId)).toMatchObject([{ kind: usageKinds.complained, amount: 1 }]);
});

// The last one, because it detaches partitions.
test.each(["sends", "events"])("a day whose %s are detached is skipped, and its counters stay", async (table) => {
  const { accountId } = await anAccountThatSends(database.db);
  const dayAfter = async (days: number) =>
    new Date(Date.parse((await findOldestRecordAt(database.db)) ?? "") + days * 86_400_000).toISOString();
  const rebuild = (day: string) =>
    rebuildUsageDay(database.db, { accountId, mode: "live", day }, { isCorrected: true });
  const day = await dayAfter(3);
  await change(
    database.db,
    "insert into usage_hours (account_id, mode, hour, domain, delivered) values ($1, 'live', $2, 'd.test', 5)",
    [accountId, day],
  );
  await detachUpTo(day, table);
  expect(await rebuild(day)).toBeUndefined();
  expect(await rebuild(await dayAfter(-1))).toBeUndefined();
  expect(await rebuild(await dayAfter(0))).toBeUndefined();
  expect(await rebuild(await dayAfter(1))).toEqual([]);
  const counters = "select delivered from usage_hours where account_id = $1";
  expect(await change(database.db, counters, [accountId])).toEqual([{ delivered: 5 }]);
});

async function detachUpTo(day: string, table: string): Promise<void> {
  const old = "select name from partition_ranges where parent = $1 and starts_at <= $2";
  for (const { name } of await change(database.db, old, [table, day])) {
    await change(database.db, `alter table ${table} detach partition ${String(name)}`);
  }
}
