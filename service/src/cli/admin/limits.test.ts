import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { runPostern } from "../../../test/run-postern.ts";
import { aQueuedSend, aVerifiedDomain } from "../../../test/send-builders.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { findQuotas } from "../../accounts/quota-store.ts";
import { readQueuedRecipients } from "../../queue/queued-recipients.ts";

const shared = useTestDatabase();
const limits = (...args: string[]) => runPostern(["admin", "limits", ...args], { DATABASE_URL: shared.url });
const none = { recipientsPerDay: null, queuedRecipients: null, storedContentBytes: null, trial: null };

/** The lines of the table, each as [what, limit, used]. */
function tableOf(stdout: string): Record<string, string> {
  const cells = stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
  return Object.fromEntries(cells.map(([what = "", ...rest]) => [what, rest.join(" | ")]));
}

describe("postern admin limits", () => {
  test("shows every limit of an account with what it uses, and changes nothing", async () => {
    const { accountId, email } = await aUser(shared.db);
    await aVerifiedDomain(shared.db, accountId, `limits-${accountId}.test`);
    await aQueuedSend(shared.db, { accountId });
    await change(
      shared.db,
      `insert into usage_hours (account_id, mode, hour, domain, accepted_recipients, content_bytes)
       values ($1, 'live', date_trunc('hour', now()), 'a.test', 1234, 56789), ($1, 'test', date_trunc('hour', now()), 'a.test', 1, 2)`,
      [accountId],
    );
    const { code, stdout } = await limits("--account", email);
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toBe(`An account  ${accountId}`);
    expect(tableOf(stdout)).toMatchObject({
      "recipients a day": "unlimited | 1,234 since 00:00 UTC",
      "queued recipients": "unlimited | 1",
      "bytes of stored content": "unlimited | 56,789",
      domains: "100 | 1",
      "API keys": "100 | 0",
      "domain changes per minute": "10",
      "sends per second": "3",
      "sends per 10 seconds": "20",
      "sends per minute": "100",
    });
    expect(await findQuotas(shared.db, accountId, "live")).toEqual(none);
  });

  test("sets the given limits, keeps the others, and lifts a quota with unlimited", async () => {
    const { accountId, email } = await aUser(shared.db);
    const all = ["--recipients-per-day", "5000", "--content-bytes", "9000000000", "--trial", "200"];
    const counts = ["--domains", "3", "--api-keys", "0", "--domain-changes-per-minute", "2", "--per-second", "7"];
    expect(await limits("--account", accountId, ...all, ...counts)).toMatchObject({ code: 0 });
    const quotas = { ...none, recipientsPerDay: 5000, storedContentBytes: 9_000_000_000, trial: 200 };
    expect(await findQuotas(shared.db, accountId, "live")).toEqual(quotas);
    const { stdout } = await limits("--account", email, "--recipients-per-day", "unlimited");
    expect(await findQuotas(shared.db, accountId, "live")).toEqual({ ...quotas, recipientsPerDay: null });
    expect(tableOf(stdout)).toMatchObject({
      "on trial, recipients a day": "200 | 0",
      domains: "3 | 0",
      "API keys": "0 | 0",
      "domain changes per minute": "2",
      "sends per second": "7",
      "sends per minute": "100",
    });
    await limits("--account", email, "--lift-trial");
    expect((await findQuotas(shared.db, accountId, "live")).trial).toBeNull();
  });

  test("sets quotas of test mail apart from those of live mail", async () => {
    const { accountId, email } = await aUser(shared.db);
    const { stdout } = await limits("--account", email, "--mode", "test", "--recipients-per-day", "0");
    expect(stdout).toContain("Test mail");
    expect(await findQuotas(shared.db, accountId, "test")).toEqual({ ...none, recipientsPerDay: 0 });
    expect(await findQuotas(shared.db, accountId, "live")).toEqual(none);
  });

  test("counts the mail that is queued when an account gets a quota for it", async () => {
    const { accountId, email } = await aUser(shared.db);
    for (let count = 0; count < 3; count++) await aQueuedSend(shared.db, { accountId });
    const { stdout } = await limits("--account", email, "--queued-recipients", "10");
    expect(tableOf(stdout)).toMatchObject({ "queued recipients": "10 | 3" });
    expect(await readQueuedRecipients(shared.db, [{ accountId, mode: "live" }])).toEqual([3]);
  });

  test.for([
    ["--recipients-per-day", "-1"],
    ["--recipients-per-day", "none"],
    ["--queued-recipients", "2147483648"],
    ["--content-bytes", "1.5"],
    ["--domains", "1000001"],
    ["--per-second", "0"],
  ])("refuses %s %s and changes nothing", async ([option = "", value = ""]) => {
    const { accountId, email } = await aUser(shared.db);
    const result = await limits("--account", email, "--trial", "5", `${option}=${value}`);
    expect(result).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining(`not "${value}"`) });
    expect(await findQuotas(shared.db, accountId, "live")).toEqual(none);
  });

  test("refuses to start and to lift a trial at once, and names an account that does not exist", async () => {
    const { email } = await aUser(shared.db);
    expect(await limits("--account", email, "--trial", "5", "--lift-trial")).toMatchObject({ code: 64 });
    const id = randomUUIDv7();
    expect(await limits("--account", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no account ${id}`),
    });
  });
});

test("postern admin create-account --trial puts the account on trial, and list-accounts shows it until the trial is lifted", async () => {
  const admin = (...args: string[]) => runPostern(["admin", ...args], { DATABASE_URL: shared.url });
  const { stdout } = await admin("create-account", "--name", "New", "--email", "new@shop.test", "--trial", "200");
  expect(stdout).toContain("Trial    200 recipients of live mail a day");
  const id = /^Account {2}(\S+)/m.exec(stdout)?.[1] ?? "";
  expect(await findQuotas(shared.db, id, "live")).toEqual({ ...none, trial: 200 });
  const stateOf = async () =>
    new RegExp(`^${id}.* UTC {2}(.{9})`, "m").exec((await admin("list-accounts")).stdout)?.[1];
  expect(await stateOf()).toBe("on trial ");
  await limits("--account", id, "--lift-trial");
  expect(await stateOf()).toBe("active   ");
});
