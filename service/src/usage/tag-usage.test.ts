import { expect, test } from "vitest";
import { aReport, permanentBounce } from "../../test/feedback-report-fixture.ts";
import { aSuppression, attemptOf } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { anAccountThatSends, claimAll, differencesOf } from "../../test/usage-fixture.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { applyFeedback } from "../feedback/apply-feedback.ts";
import { confirmSubmissions } from "../queue/confirm-submission.ts";
import { retryFailed } from "../queue/retry-failed.ts";
import { markFailed } from "../queue/settle-sends.ts";
import { readTagUsage } from "./read-tag-usage.ts";
import { foldUsage } from "./usage-chores.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const dayMs = 86_400_000;

async function tagsOf(accountId: string, by: "day" | "range" = "range") {
  const today = new Date().setUTCHours(0, 0, 0, 0);
  const range = { from: new Date(today - dayMs).toISOString(), to: new Date(today + dayMs).toISOString() };
  const query = { ...range, by, modes: ["live"], maxEntries: 5_000 } as const;
  return readTagUsage(database.db.forAccount(accountId), query);
}

async function countsOf(accountId: string) {
  return (await tagsOf(accountId)).map(({ tag, acceptedSends, acceptedRecipients }) => [
    tag,
    acceptedSends,
    acceptedRecipients,
  ]);
}

function rows(table: "usage_tags" | "usage_tag_days", accountId: string): Promise<unknown[]> {
  return change(database.db, `select tag from ${table} where account_id = $1`, [accountId]);
}

/** As if the account had accepted one send with each of these tags, ten to a send. */
async function deltasOf(accountId: string, first: number, last: number): Promise<void> {
  await change(
    database.db,
    `insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, sends, tags)
     select $1, hour_number(now()), 1, 0, false, 'd.test', 1, array_agg('t' || lpad(n::text, 5, '0'))
     from generate_series($2::integer, $3) as n
     group by n / 10`,
    [accountId, first, last],
  );
}

test("a send counts for each of its tags, once, whether folded or not; a send without tags has no row", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  await accept(["a@x.test"], undefined, ["receipt", "shop"]);
  await foldUsage(database.db, 60_000);
  await accept(["a@x.test", "b@x.test"], undefined, ["shop"]);
  await accept(["c@x.test"]);
  const expected = [
    ["receipt", 1, 1],
    ["shop", 2, 3],
  ];
  expect(await countsOf(accountId)).toEqual(expected);
  await foldUsage(database.db, 60_000);
  expect(await countsOf(accountId)).toEqual(expected);
  expect(await rows("usage_tags", accountId)).toHaveLength(2);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
});

test("outcomes count for each tag of their send: deliveries, bounces, delays and suppressions before and after acceptance", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  await aSuppression(database.db, { accountId, email: "gone@x.test" });
  const recipients = ["a@x.test", "b@x.test", "gone@x.test", "later@x.test"];
  const send = { id: await accept(recipients, undefined, ["one", "two"]), accountId, messageId: "m-1" };
  await aSuppression(database.db, { accountId, email: "later@x.test" });
  await claimAll(database.db);
  const reports = [
    aReport(send, { kind: "delivery", recipients: ["a@x.test"], durationMs: 500 }),
    aReport(send, { ...permanentBounce, recipients: ["b@x.test"], feedbackId: "f-1" }),
    aReport(send, { kind: "delay", recipients: ["a@x.test"], feedbackId: "f-2" }),
  ];
  await applyFeedback(database.db, [...reports, ...reports], Date.now());
  const counts = { acceptedRecipients: 4, delivered: 1, bouncedHard: 1, suppressed: 2, delayed: 1, failed: 0 };
  for (let time = 0; time < 2; time++) {
    const usage = await tagsOf(accountId, "day");
    expect(usage.map(({ tag }) => tag)).toEqual(["one", "two"]);
    for (const one of usage) expect(one).toMatchObject(counts);
    expect(usage[0]?.deliveryTimes[0]).toBe(1);
    await foldUsage(database.db, 60_000);
  }
  expect(await differencesOf(database.db, accountId)).toEqual([]);
});

test("a tag counts failed recipients exactly while their send is failed", async () => {
  const { accountId, accept, domain } = await anAccountThatSends(database.db);
  const id = await accept(["a@x.test", "b@x.test"], undefined, ["one"]);
  const failed = async () => (await tagsOf(accountId))[0]?.failed;
  const fail = async () => {
    const [claimed] = await claimAll(database.db);
    if (claimed?.id !== id) throw new Error("another send was claimed");
    const failure = { outcome: "refused", code: "PROVIDER_REJECTED", message: "no" } as const;
    await markFailed(database.db, [{ ...attemptOf(claimed), ...failure }]);
  };
  await fail();
  expect(await failed()).toBe(2);
  await retryFailed(database.db, "PROVIDER_REJECTED", [{ id, fromDomain: domain, position: 1 }]);
  expect(await failed()).toBe(0);
  await change(database.db, "update send_queue set state = 'ready', due_at = null where id = $1", [id]);
  await aSuppression(database.db, { accountId, email: "b@x.test" });
  await fail();
  await foldUsage(database.db, 60_000);
  expect(await tagsOf(accountId)).toMatchObject([{ failed: 2, suppressed: 1 }]);
  await confirmSubmissions(database.db, [{ sendId: id, attempt: 1, providerMessageId: "m-1", at: undefined }]);
  expect(await failed()).toBe(0);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
});

test("tags beyond 1,000 of a month are counted together, folded or not, and their number of rows does not grow", async () => {
  const { accountId } = await anAccountThatSends(database.db);
  await deltasOf(accountId, 1, 990);
  await foldUsage(database.db, 60_000);
  await deltasOf(accountId, 985, 15_000);
  for (let time = 0; time < 2; time++) {
    const usage = await tagsOf(accountId);
    expect(usage).toHaveLength(1_001);
    expect(usage[0]).toMatchObject({ tag: "(other)", acceptedSends: 14_000 });
    expect(usage.find(({ tag }) => tag === "t00985")?.acceptedSends).toBe(2);
    expect(usage.find(({ tag }) => tag === "t01000")?.acceptedSends).toBe(1);
    await foldUsage(database.db, 60_000);
  }
  await deltasOf(accountId, 15_001, 20_000);
  await foldUsage(database.db, 60_000);
  expect(await rows("usage_tags", accountId)).toHaveLength(1_000);
  expect(await rows("usage_tag_days", accountId)).toHaveLength(1_001);
});

test("the next month begins without tags, and test mode has its own", async () => {
  const { accountId } = await anAccountThatSends(database.db);
  await deltasOf(accountId, 1, 2_000);
  await foldUsage(database.db, 60_000);
  const other = `
    insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, sends, tags)
    values ($1, hour_number(now() + interval '32 days'), 1, 0, false, 'd.test', 1, '{next}'),
      ($1, hour_number(now()), 1, 0, true, 'd.test', 1, '{test}')`;
  await change(database.db, other, [accountId]);
  await foldUsage(database.db, 60_000);
  expect(await rows("usage_tags", accountId)).toEqual(expect.arrayContaining([{ tag: "next" }, { tag: "test" }]));
});

test("eight folds at the same time count every tag once, and never both by name and with the others", async () => {
  const { accountId } = await anAccountThatSends(database.db);
  for (let time = 0; time < 4; time++) await deltasOf(accountId, 1, 2_000);
  await Promise.all(Array.from({ length: 8 }, () => foldUsage(database.db, 60_000)));
  const usage = await tagsOf(accountId);
  expect(usage).toHaveLength(1_001);
  expect(usage.reduce((sum, { acceptedSends }) => sum + acceptedSends, 0)).toBe(8_000);
  for (const { tag, acceptedSends } of usage) if (tag !== "(other)") expect(acceptedSends).toBe(4);
});

test("a rebuild adds tags that were never counted, by name or with the others, and corrects wrong counters", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  await accept(["a@x.test"], undefined, ["one", "two"]);
  await foldUsage(database.db, 60_000);
  await accept(["a@x.test", "b@x.test"], undefined, ["lost"]);
  await change(database.db, "update usage_deltas set tags = null where account_id = $1", [accountId]);
  await change(database.db, "update usage_tag_days set delivered = 3 where account_id = $1 and tag = 'one'", [
    accountId,
  ]);
  const found = await differencesOf(database.db, accountId, true);
  expect(found.map(({ domain, kind, amount, sends }) => [domain, kind, amount, sends])).toEqual([
    ["tag lost", 0, 2, 1],
    ["tag one", 1, -3, 0],
  ]);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
  expect(await countsOf(accountId)).toContainEqual(["lost", 1, 2]);

  const fill = `
    insert into usage_tags (account_id, mode, month, tag)
    select $1, 'live', date_trunc('month', now(), 'UTC'), 't' || n from generate_series(1, 997) as n`;
  await change(database.db, fill, [accountId]);
  await accept(["a@x.test"], undefined, ["late"]);
  await change(database.db, "update usage_deltas set tags = null where account_id = $1", [accountId]);
  expect(await differencesOf(database.db, accountId, true)).toMatchObject([{ domain: "tag (other)", amount: 1 }]);
  expect(await differencesOf(database.db, accountId)).toEqual([]);
});
