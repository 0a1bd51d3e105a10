import { expect, test, vi } from "vitest";
import { change, useEmptyQueue } from "../../../test/send-rows.ts";
import { anAccountThatSends } from "../../../test/usage-fixture.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { foldUsage } from "../../usage/usage-chores.ts";
import { createOnDatabase, type OnDatabase } from "../on-database.ts";
import { createProgram } from "../program.ts";
import { usageCommand } from "./usage-command.ts";

const database = useTestDatabase();
useEmptyQueue(database);

async function usage(...args: string[]): Promise<string> {
  const output: string[] = [];
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => output.push(String(text)) > 0);
  try {
    const program = createProgram(async () => ({ DATABASE_URL: database.url }));
    await program.parseAsync(["admin", "usage", ...args], { from: "user" });
  } finally {
    spy.mockRestore();
  }
  return output.join("");
}

test("it shows the usage of an account per day, or per hour and domain", async () => {
  const { accountId, accept, domain } = await anAccountThatSends(database.db);
  await accept(["a@x.test", "b@x.test"]);
  const [header, line] = (await usage("--account", accountId, "--since", "2d")).split("\n");
  expect(header).toMatch(/^LIVE MAIL +DOMAIN +SENDS +RECIPIENTS/);
  expect(line).toMatch(/^\d{4}-.* all +1 +2 +0/);
  const byDomain = await usage("--account", accountId, "--since", "1h", "--by", "hour", "--group", "domain");
  expect(byDomain).toContain(` ${domain} `);
});

test("--group tag shows the usage of each tag per day, and refuses hours", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  await accept(["a@x.test", "b@x.test"], undefined, ["receipt", "web"]);
  await accept(["c@x.test"], undefined, ["receipt"]);
  const byTag = () => usage("--account", accountId, "--since", "2d", "--group", "tag");
  const [header, receipt, web] = (await byTag()).split("\n");
  expect(header).toMatch(/^LIVE MAIL +TAG +SENDS +RECIPIENTS/);
  expect(receipt).toMatch(/^\d{4}-.* receipt +2 +3 +0/);
  expect(web).toMatch(/^\d{4}-.* web +1 +2 +0/);
  await foldUsage(database.db, 60_000);
  expect((await byTag()).split("\n")[1]).toBe(receipt);
  const byHour = usage("--account", accountId, "--group", "tag", "--by", "hour");
  await expect(byHour).rejects.toThrow("Tags are counted per day.");
});

test("it refuses a range with more than 10,000 lines instead of leaving out the newest", async () => {
  const { accountId } = await anAccountThatSends(database.db);
  const addDomains = `
    insert into usage_hours (account_id, mode, hour, domain)
    select $1, 'live', date_trunc('hour', now()), 'd' || n from generate_series($2::integer, $3) as n`;
  const lines = async () => (await usage("--account", accountId, "--group", "domain")).split("\n").length;
  await change(database.db, addDomains, [accountId, 1, 10_000]);
  expect(await lines()).toBeGreaterThan(10_000);
  await change(database.db, addDomains, [accountId, 10_001, 10_001]);
  await expect(lines()).rejects.toThrow("more than 10,000 lines of live mail. Give a later --since");
});

test("--rebuild shows what differs from the record, and corrects it only with --yes", async () => {
  const { accountId, accept } = await anAccountThatSends(database.db);
  await accept(["a@x.test", "b@x.test"]);
  const rebuild = (...more: string[]) => usage("--account", accountId, "--since", "2d", "--rebuild", ...more);
  expect(await rebuild()).toMatch(/^The counters of An account since .* agree with the record\.\n$/);
  await foldUsage(database.db, 60_000);
  await change(database.db, "update usage_hours set accepted_recipients = 5, bounced_hard = 1 where account_id = $1", [
    accountId,
  ]);
  for (let time = 0; time < 2; time++) {
    const text = await rebuild();
    expect(text).toMatch(/live {2}\S+ {2}accepted: -3 recipients, 0 sends, 0 bytes of content$/m);
    expect(text).toMatch(/bouncedHard: -1 recipients$/m);
    expect(text).toMatch(/^2 differences .* Nothing was changed\. To correct the counters, add --yes\.$/m);
  }
  expect(await rebuild("--yes")).toMatch(/^2 differences .* corrected\.$/m);
  expect(await rebuild("--yes")).toContain("agree with the record");
});

test("--rebuild names the days that it skips because the database does not have their record", async () => {
  const { accountId } = await anAccountThatSends(database.db);
  const text = await usage("--account", accountId, "--since", "120d", "--rebuild", "--yes");
  expect(text).toMatch(/^Skipped: the days from \S+.* to \S+.*; their counters stay\.\nThe counters of .* agree/);
});

test("a day of a rebuild may take ten minutes", async () => {
  const onDatabase = createOnDatabase(async () => ({ DATABASE_URL: database.url }));
  let timeout: unknown;
  const showTimeout: OnDatabase = (load, _run, options) =>
    onDatabase(
      load,
      async (_module, { db }) => {
        [timeout] = await change(db, "select current_setting('statement_timeout') as server");
      },
      options,
    );
  await usageCommand(showTimeout).parseAsync(["--account", "a"], { from: "user" });
  expect(timeout).toEqual({ server: "10min" });
});
