import { expect, test, vi } from "vitest";
import { textColumns } from "../../../test/address-hits.ts";
import { auditRows } from "../../../test/audit-rows.ts";
import { aReport, permanentBounce } from "../../../test/feedback-report-fixture.ts";
import { aFullAccount } from "../../../test/full-account.ts";
import { aQueuedSend, attemptOf, claimAgain } from "../../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../../test/send-rows.ts";
import { anEnvironment } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { anEndpoint } from "../../../test/webhook-builders.ts";
import { purgedTables } from "../../data-rights/purged-tables.ts";
import { applyFeedback } from "../../feedback/apply-feedback.ts";
import { markInDoubt, markSent } from "../../queue/settle-sends.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();
useEmptyQueue(database);

/** What outlives the account: that it was deleted, where it moved, and what the workers still have to remove at SES. */
const outliving = ["account_deletions", "incoming_moves", "outgoing_moves", "tenant_removals"];

test("the account is marked at once, its data is deleted two days later, and other accounts keep theirs", async () => {
  const { db } = database;
  const [mine, theirs] = [await aFullAccount(database.db), await aFullAccount(database.db)];
  const queued = await aQueuedSend(db, { accountId: mine.accountId, fromDomain: mine.domain });
  await aQueuedSend(db, { accountId: theirs.accountId, fromDomain: theirs.domain });
  const before = await rowsOf(theirs.accountId);
  const marked = await run("delete-account", mine.accountId);
  expect(marked).toContain(
    "is marked for deletion. Its keys and log-ins are refused, and its queued mail is cancelled.",
  );
  expect(await sendRow(db, queued)).toMatchObject({ status: "failed", errorCode: "CANCELLED" });
  expect(await isSuspended(mine.accountId)).toBe(true);
  expect((await auditRows(db, mine.accountId, "account.delete")).length).toBe(1);
  await run("resume", "--email", mine.accountId);
  expect(await isSuspended(mine.accountId)).toBe(true);
  expect(await run("delete-account", mine.accountId)).toContain("run the command again after");

  await twoDaysPass(mine.accountId);
  const purged = await run("delete-account", mine.accountId);
  expect(purged).toMatch(/^The account was deleted at .* UTC\. Workers remove its domains at SES\.$/m);
  expect(purged).toMatch(/^ {2}sends +2$/m);
  expect(Object.keys(await rowsOf(mine.accountId)).filter((table) => !outliving.includes(table))).toEqual([]);
  expect(await rowsOf(theirs.accountId)).toEqual(before);
  expect(await change(db, "select from users where id = $1", [mine.userId])).toEqual([]);
  expect(await change(db, "select from identity_removals where domain_name = $1", [mine.domain])).toHaveLength(1);
  const parts = `select (select count(*) from send_contents where id = $1) + (select count(*) from send_attempts where send_id = $1)
    + (select count(*) from send_searches where send_id = $1) + (select count(*) from events where send_id = $1)
    + (select count(*) from sandbox_reports where report ->> 'sendId' = $1::text) as rows`;
  expect(await change(db, parts, [mine.sent.id])).toEqual([{ rows: 0 }]);
  expect(await run("delete-account", mine.accountId)).toContain("The account was deleted at");

  // SES reports once more.
  const { verdicts } = await applyFeedback(
    db,
    [aReport(mine.sent, { ...permanentBounce, recipients: ["jane@example.test"] })],
    Date.now(),
  );
  expect(verdicts).toEqual(["discarded"]);
});

test("a fan-out that has read the endpoints leaves nothing in the queue of a deleted account", async () => {
  const { db } = database;
  const { accountId } = await aFullAccount(db);
  const endpointId = await anEndpoint(db, { accountId, types: ["send.bounced"] });
  await run("delete-account", accountId);
  await twoDaysPass(accountId);
  const purged = await db.withTransaction(async (tx) => {
    await tx.query({
      name: "hold-endpoint",
      text: `select from webhook_endpoints where id = '${endpointId}' for key share`,
    });
    const purging = run("delete-account", accountId);
    const blocked =
      "select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'delete from webhook_endpoints'";
    await vi.waitFor(async () => expect(await change(db, blocked, [])).toHaveLength(1), 15_000);
    await tx.query({
      name: "queue-late-delivery",
      text: `
        insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, state)
        values (gen_random_uuid(), $1, $2, gen_random_uuid(), 'pending')`,
      values: [accountId, endpointId],
    });
    return { purging };
  });
  expect(await purged.purging).toContain("The account was deleted at");
  expect(await change(db, "select from webhook_queue where account_id = $1", [accountId])).toEqual([]);
});

test("the deletion can be undone before the data is deleted, and not later", async () => {
  const { accountId } = await aFullAccount(database.db);
  await run("delete-account", accountId);
  expect(await run("delete-account", accountId, "--undo")).toContain("is no longer marked for deletion");
  expect(await isSuspended(accountId)).toBe(false);
  await expect(run("delete-account", accountId, "--undo")).rejects.toThrow("not marked for deletion");
  await run("suspend", "--email", accountId);
  await run("delete-account", accountId);
  await run("delete-account", accountId, "--undo");
  expect(await isSuspended(accountId)).toBe(true);
  await run("delete-account", accountId);
  await change(database.db, "update account_deletions set purge_started_at = now() where account_id = $1", [accountId]);
  await expect(run("delete-account", accountId, "--undo")).rejects.toThrow("its data is being deleted already");
});

test("mail in doubt is awaited", async () => {
  const { db } = database;
  const { accountId, domain } = await aFullAccount(database.db);
  const id = await aQueuedSend(db, { accountId, fromDomain: domain });
  const claimed = await claimAgain(db, id);
  await markInDoubt(db, [{ ...attemptOf(claimed), outcome: "unknown" }]);
  expect(await run("delete-account", accountId)).toContain(
    "A worker is submitting 1 send of this account, or the outcome is in doubt.",
  );
  await twoDaysPass(accountId);
  await expect(run("delete-account", accountId)).rejects.toThrow("Run the command again later.");
  expect(await queueRow(db, id)).toMatchObject({ state: "in-doubt" });
  await markSent(db, [{ ...attemptOf(claimed), outcome: "accepted", providerMessageId: "m-doubt" }]);
  expect(await run("delete-account", accountId)).toContain("The account was deleted at");
});

test("each table with rows of accounts is purged, or outlives the account for a known reason", async () => {
  const rows = await change(
    database.db,
    `select c.relname as name
     from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     where a.attname = 'account_id' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const known = [
    ...purgedTables.first,
    ...purgedTables.byKey.map(([table]) => table),
    ...purgedTables.byMode,
    ...purgedTables.last,
    ...outliving,
    // By purge-sends.ts, by purge-account.ts, and with the account by foreign keys. The queue is empty before.
    "sends",
    "domains",
    "audit_entries",
    "erasures",
    "users",
    "memberships",
    "logins",
    "invitations",
    "send_queue",
    "scheduled_sends",
  ];
  expect(rows.map(({ name }) => String(name)).filter((name) => !known.includes(name))).toEqual([]);
});

/** The number of rows in each table that has some of the account. */
async function rowsOf(accountId: string): Promise<Record<string, number>> {
  const { db } = database;
  const tables = [...new Set((await textColumns(db)).map(({ table }) => table))];
  const columns = await change(
    db,
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'account_id' and c.relname = any ($1) and c.relnamespace = 'public'::regnamespace`,
    [
      [
        ...tables,
        "usage_key_hours",
        "account_quotas",
        "list_counts",
        "list_days",
        "list_changes",
        "guard_counts",
        "erasure_counts",
      ],
    ],
  );
  const counts: Record<string, number> = {};
  for (const { name } of columns) {
    const [row] = await change(db, `select count(*) as rows from ${String(name)} where account_id = $1`, [accountId]);
    if (Number(row?.rows) > 0) counts[String(name)] = Number(row?.rows);
  }
  return counts;
}

async function isSuspended(accountId: string): Promise<boolean> {
  const [row] = await change(database.db, "select suspended_at is not null as yes from accounts where id = $1", [
    accountId,
  ]);
  return row?.yes === true;
}

async function twoDaysPass(accountId: string): Promise<void> {
  await change(
    database.db,
    `with passed as (
       update account_deletions set requested_at = requested_at - interval '2 days' where account_id = $1 returning account_id
     )
     update accounts set suspended_at = suspended_at - interval '2 days' from passed where id = passed.account_id`,
    [accountId],
  );
}

const environment = anEnvironment();

async function run(...args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const program = createProgram(async () => ({ ...environment, DATABASE_URL: database.url }));
    await program.parseAsync(["admin", ...args], { from: "user" });
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}
