import { expect, test, vi } from "vitest";
import { auditRows } from "../../../test/audit-rows.ts";
import { aUser } from "../../../test/builders.ts";
import { aSubmittedSend } from "../../../test/feedback-report-fixture.ts";
import { aSuppression } from "../../../test/send-builders.ts";
import { anEnvironment } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();

test("it prints the erased rows of each table and what it keeps, and the audit names a hash of the address", async () => {
  const { db } = database;
  const { email } = await aUser(db);
  const { accountId } = await aSubmittedSend(db, [email]);
  await aSuppression(db, { accountId, email });
  const printed = await erase(email, "--account", accountId);
  expect(printed).toMatch(/^ {2}TABLE +ROWS ERASED\n {2}sends +1\n/);
  expect(printed).toContain("Kept: 1 entry of suppression lists. Mail to the address stays suppressed.");
  expect(printed).toContain("Kept: 1 user who logs in with the address.");
  const entries = await auditRows(db, accountId, "address.erase");
  expect(entries).toMatchObject([{ actor_kind: "command-line", after: { rows: { sends: 1 } } }]);
  expect(entries[0]?.target_id).toMatch(/^[0-9a-f]{32}$/);
  expect(JSON.stringify(entries)).not.toContain(email);
  expect(await erase(email)).toContain("No row has the address.");
});

test.for([
  [["jane"], "The address "],
  [["jane@example.test", "--account", "nobody@b.test"], "There is no account nobody@b.test."],
  [["jane@example.test", "--wait", "soon"], "--wait must be a whole number of seconds from 0 to 86400"],
] as const)("wrong arguments %s are refused with the reason", async ([args, reason]) => {
  await expect(erase(...args)).rejects.toThrow(reason);
});

const environment = anEnvironment();

async function erase(...args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const program = createProgram(async () => ({ ...environment, DATABASE_URL: database.url }));
    await program.parseAsync(["admin", "erase-address", ...args], { from: "user" });
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}
