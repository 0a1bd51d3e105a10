import { expect, test, vi } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { addGuardCounts } from "../../../test/guard-counts.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { holdAccount } from "../../accounts/account-store.ts";
import { checkAccounts } from "../../guard/check-accounts.ts";
import { findGuardState } from "../../guard/guard-store.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();

test("postern admin guard shows the rates and the verdict, and releases without ending a hold of the operator", async () => {
  const { accountId, email } = await aUser(database.db);
  expect(await guard("--account", email)).toMatch(/^GUARD +on$[\s\S]*^VERDICT +none: fewer than 200 outcomes$/m);
  await addGuardCounts(database.db, accountId, { outcomes: 400, hardBounces: 48, complaints: 2 });
  expect(await guard("--account", email)).toMatch(
    /^HARD BOUNCES +48, 12 % \(SES reviews above 5 %, the guard holds above 10 %\)$/m,
  );
  await checkAccounts(database.db, { maxCounts: 100 });
  expect(await guard("--account", accountId)).toMatch(/^VERDICT +held since .*: 48 of 400 recipients/m);
  await holdAccount(database.db, accountId, undefined);
  const released = await guard("--account", email, "--release");
  expect(released).toMatch(/^The guard's hold on the mail of An account has ended after/);
  expect(released).toContain(`postern admin release --account ${email}`);
  const state = await findGuardState(database.db, accountId);
  expect(state).toMatchObject({ heldAt: null, outcomes: 0, isHeldByOperator: true });
});

test("postern admin guard --off keeps an account from being held until --on", async () => {
  const { accountId } = await aUser(database.db);
  await addGuardCounts(database.db, accountId, { outcomes: 400, hardBounces: 48 });
  expect(await guard("--account", accountId, "--off")).toMatch(/^GUARD +off[\s\S]*^VERDICT +warning: 48 of 400/m);
  expect((await checkAccounts(database.db, { maxCounts: 100 })).held).toEqual([]);
  expect(await guard("--account", accountId, "--on")).toMatch(/^GUARD +on$/m);
  expect((await checkAccounts(database.db, { maxCounts: 100 })).held).toHaveLength(1);
});

test("postern admin guard refuses --on with --off, and postern admin release names the hold of the guard", async () => {
  const { accountId } = await aUser(database.db);
  await expect(admin("guard", "--account", accountId, "--off", "--on")).rejects.toThrow("--on");
  await addGuardCounts(database.db, accountId, { outcomes: 400, hardBounces: 48 });
  await checkAccounts(database.db, { maxCounts: 100 });
  expect(await admin("release", "--account", accountId)).toMatch(
    /was not on hold by the operator[\s\S]*The guard holds its live mail/,
  );
  expect(await findGuardState(database.db, accountId)).toMatchObject({ heldAt: expect.any(String) });
});

const guard = (...args: string[]) => admin("guard", ...args);

/** Runs `postern admin` in this process and returns its output. */
async function admin(...args: string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await createProgram(async () => ({ DATABASE_URL: database.url })).parseAsync(["admin", ...args], { from: "user" });
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}
