import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { addGuardCounts } from "../../test/guard-counts.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { checkAccounts } from "../guard/check-accounts.ts";
import { releaseFromGuard, switchGuard } from "../guard/guard-store.ts";
import { guardProblems, listGuardedAccounts } from "./guarded-accounts.ts";

const database = useTestDatabase();

test("held and warned accounts are named with what to do; good ones, small ones and released ones are not", async () => {
  const [held, warned, good, small, released] = await Promise.all([
    anAccountWith({ outcomes: 400, hardBounces: 48 }, "Held"),
    anAccountWith({ outcomes: 10_000, complaints: 20 }, "Warned"),
    anAccountWith({ outcomes: 400, hardBounces: 20 }, "Good"),
    anAccountWith({ outcomes: 199, hardBounces: 100 }, "Small"),
    anAccountWith({ outcomes: 400, hardBounces: 100 }, "Released"),
  ]);
  await checkAccounts(database.db, { maxCounts: 100 });
  await releaseFromGuard(database.db, released);
  const problems = guardProblems(await listGuardedAccounts(database.db));
  expect(problems).toEqual([
    {
      what: expect.stringMatching(/^The guard put the live mail of Held on hold \d+ s ago: 48 of 400 recipients/),
      advice: expect.stringContaining(`postern admin guard --account ${held} --release`),
      runbook: "the-guard-holds-an-account",
      accountId: held,
      stopsMail: true,
    },
    {
      what: expect.stringMatching(/^Bounces or complaints of Warned: 20 of 10000 recipients \(0\.2 %\) reported/),
      advice: expect.stringContaining(`postern admin guard --account ${warned}`),
      runbook: "the-guard-holds-an-account",
      accountId: warned,
    },
  ]);
  expect(JSON.stringify(problems)).not.toMatch(new RegExp(`${good}|${small}`));
});

test("of many accounts the ten worst are listed and the others counted", async () => {
  for (let count = 0; count < 12; count++) {
    const id = await anAccountWith({ outcomes: 1_000, hardBounces: 300 + count }, `Bad ${count}`);
    await switchGuard(database.db, id, true);
  }
  await checkAccounts(database.db, { maxCounts: 100 });
  const { warned } = await listGuardedAccounts(database.db);
  expect(warned.slice(0, 2).map(({ name }) => name)).toEqual(["Bad 11", "Bad 10"]);
  const problems = guardProblems({ held: [], warned });
  expect(problems).toHaveLength(11);
  expect(problems[0]?.advice).toContain("The guard is off for this account");
  expect(problems.at(-1)?.what).toMatch(/exceeded by \d+ more accounts\.$/);
});

async function anAccountWith(counts: Parameters<typeof addGuardCounts>[2], name: string): Promise<string> {
  const accountId = await anAccount(database.db, { name });
  await addGuardCounts(database.db, accountId, counts);
  return accountId;
}
