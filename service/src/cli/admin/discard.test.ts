import { expect, test, vi } from "vitest";
import { anAccount, aUser } from "../../../test/builders.ts";
import { aQueuedSend, attemptOf, aVerifiedDomain, claimAgain } from "../../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { holdAccount } from "../../accounts/account-store.ts";
import { claimSends } from "../../queue/claim-sends.ts";
import { parkSends } from "../../queue/parked-sends.ts";
import { markInDoubt, retryLater } from "../../queue/settle-sends.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

test("without --yes it counts by state and changes nothing; with --yes it ends queued mail as failed with CANCELLED", async () => {
  const { accountId, email } = await aUser(database.db);
  const fromDomain = await aVerifiedDomain(database.db, accountId);
  const inDoubt = await aQueuedSend(database.db, { accountId, fromDomain });
  await markInDoubt(database.db, [{ ...attemptOf(await claimAgain(database.db, inDoubt)), outcome: "unknown" }]);
  const waiting = await aQueuedSend(database.db, { accountId, fromDomain });
  const later = { outcome: "try-later", delaySeconds: 60, usesRetryWindow: true } as const;
  await retryLater(database.db, [{ ...attemptOf(await claimAgain(database.db, waiting)), ...later }]);
  const leased = await aQueuedSend(database.db, { accountId, fromDomain });
  await claimAgain(database.db, leased);
  const parked = await aQueuedSend(database.db, { accountId, fromDomain, to: ["a@b.test", "c@d.test"] });
  await holdAccount(database.db, accountId, undefined);
  await parkSends(database.db, accountId);
  const ready = await aQueuedSend(database.db, { accountId, fromDomain });
  const other = await aQueuedSend(database.db, { accountId: await anAccount(database.db) });

  const dry = await discard("--account", email, "--before", tomorrow);
  expect(dry).toMatch(/^3 queued sends of An account from before .* UTC, to 4 recipients\.\n/);
  expect(dry).toMatch(/^ {2}parked +1 +2 {2}\d{4}-.* UTC {2}\d{4}-.* UTC$/m);
  expect(dry).toContain("1 being submitted and 1 in doubt stay: SES may have them.");
  expect(dry).toMatch(/Nothing was changed\. To end these 3 as failed with CANCELLED, add --yes\.\n$/);
  for (const id of [ready, waiting, parked]) expect(await queueRow(database.db, id)).toBeDefined();

  expect(await discard("--account", accountId, "--before", tomorrow, "--yes")).toContain(
    "3 sends discarded: failed with CANCELLED.\n1 being submitted and 1 in doubt stay",
  );
  for (const id of [ready, waiting, parked]) {
    expect(await queueRow(database.db, id)).toBeUndefined();
    expect(await sendRow(database.db, id)).toMatchObject({
      status: "failed",
      errorCode: "CANCELLED",
      errorMessage: "The operator discarded this mail while it was queued.",
    });
  }
  expect(await queueRow(database.db, leased)).toMatchObject({ state: "leased" });
  expect(await queueRow(database.db, inDoubt)).toMatchObject({ state: "in-doubt" });
  expect(await queueRow(database.db, other)).toMatchObject({ state: "ready" });
  expect(await discard("--account", accountId, "--before", tomorrow, "--yes")).toContain("0 sends discarded");
});

test("mail that the API accepted later is not discarded", async () => {
  const accountId = await anAccount(database.db);
  const id = await aQueuedSend(database.db, { accountId });
  expect(await discard("--account", accountId, "--before", "1h", "--yes")).toContain("0 sends discarded");
  expect(await discard("--account", accountId, "--before", "1h")).toContain("There is nothing to discard.");
  expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
});

test("12,000 sends are discarded with progress while workers claim, and each is either claimed or discarded", async () => {
  const accountId = await anAccount(database.db);
  const fromDomain = await aVerifiedDomain(database.db, accountId);
  await change(
    database.db,
    `with stored as (
       insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
       select new_id_at(now()), $1, 'live', 'queued', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello'
       from generate_series(1, 12000)
       returning id
     )
     insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
     select id, $1, 'live', now(), $2, '{jane@example.test}'
     from stored`,
    [accountId, fromDomain],
  );
  let isRunning = true;
  const claimed: string[] = [];
  const claiming = (async () => {
    const limits = { maxSends: 20, maxRecipients: 20, fromFairAt: "-infinity", isProbe: false } as const;
    while (isRunning)
      for (const { id } of (await claimSends(database.db, { mode: "live", ...limits })).sends) claimed.push(id);
  })();
  const output = await discard("--account", accountId, "--before", tomorrow, "--yes");
  isRunning = false;
  await claiming;
  expect(output).toMatch(/^5,\d{3} sends discarded …$/m);
  const [row] = await change(
    database.db,
    `select count(*) filter (where status = 'failed' and error_code = 'CANCELLED') as cancelled,
       count(*) filter (where status <> 'queued' and id = any ($2)) as both
     from sends
     where account_id = $1`,
    [accountId, claimed],
  );
  expect(claimed.length).toBeGreaterThan(0);
  expect(row).toEqual({ cancelled: 12_000 - claimed.length, both: 0 });
});

test.for([
  [["--before", "1d"], "--account is missing"],
  [["--account", "a@b.test"], "--before is missing"],
  [
    ["--account", "a@b.test", "--before", "soon"],
    '--before must be a time such as 2026-11-15T09:00Z or 12h, not "soon".',
  ],
  [["--account", "nobody@b.test", "--before", "1d"], "There is no account nobody@b.test."],
] as const)("wrong arguments %s are refused with the reason", async ([args, reason]) => {
  await expect(discard(...args)).rejects.toThrow(reason);
});

async function discard(...args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const program = createProgram(async () => ({ DATABASE_URL: database.url }));
    await program.parseAsync(["admin", "discard", ...args], { from: "user" });
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}
