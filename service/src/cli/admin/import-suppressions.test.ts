import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutSuppressedDestinationCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { describe, expect, test, vi } from "vitest";
import { auditRows } from "../../../test/audit-rows.ts";
import { anAccount, aUser } from "../../../test/builders.ts";
import { aSuppression } from "../../../test/send-builders.ts";
import { change } from "../../../test/send-rows.ts";
import { anEnvironment, simulatorSettings } from "../../../test/test-config.ts";
import { useSesSimulator } from "../../../test/use-ses-simulator.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();
const simulated = useSesSimulator();
const folder = mkdtempSync(join(tmpdir(), "postern-import-"));

function aFile(text: string): string {
  const path = join(folder, `${Math.random()}.csv`);
  writeFileSync(path, text);
  return path;
}

function rowsOf(accountId: string) {
  return change(database.db, "select email, reason, mode from suppressions where account_id = $1 order by email", [
    accountId,
  ]);
}

async function importSuppressions(...args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const environment = anEnvironment({ ...simulatorSettings(simulated), DATABASE_URL: database.url });
    const program = createProgram(async () => environment);
    await program.parseAsync(["admin", "import-suppressions", ...args], { from: "user" });
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}

describe("postern admin import-suppressions", () => {
  test("counts without --apply, shows the first invalid lines, and imports with it", async () => {
    const { accountId, email } = await aUser(database.db);
    await aSuppression(database.db, { accountId, email: "b@x.test", reason: "complaint" });
    const file = aFile("status,reason,email,created\n5.1.1,no,a@x.test,17\n5.1.1,no,B@x.test,17\n5.1.1,no,broken,17\n");
    const args = ["--account", email, "--from", "sendgrid", "--file", file];
    const dry = await importSuppressions(...args);
    expect(dry).toMatch(/NEW {2}KNOWN {2}INVALID\n +1 +1 +1\n/);
    expect(dry).toMatch(/Invalid:\n {2}line 4 /);
    expect(dry).toContain("Nothing was changed. To import the new addresses into An account, add --apply.");
    expect(await rowsOf(accountId)).toHaveLength(1);
    expect(await importSuppressions(...args, "--apply")).toContain(
      "The addresses are on the suppression list of An account.",
    );
    expect(await rowsOf(accountId)).toEqual([
      { email: "a@x.test", reason: "hard_bounce", mode: "live" },
      { email: "b@x.test", reason: "complaint", mode: "live" },
    ]);
    expect(await auditRows(database.db, accountId, "suppression.import")).toMatchObject([
      { actor_kind: "command-line", after: { source: "sendgrid", added: 1, strengthened: 0 } },
    ]);
  });

  test("refuses the list of SES where the installation has several accounts", async () => {
    const [accountId] = [await anAccount(database.db), await anAccount(database.db)];
    await expect(importSuppressions("--account", accountId, "--from", "ses", "--apply")).rejects.toThrow(
      "several accounts",
    );
  });

  test.for([
    [["--from", "csv"], "--account is missing"],
    [["--account", "ada@b.test"], "--from is missing"],
    [["--account", "ada@b.test", "--from", "carrier-pigeon"], "--from"],
    [["--account", "nobody@b.test", "--from", "csv"], "There is no account nobody@b.test."],
  ] as const)("refuses %s with the reason", async ([args, reason]) => {
    await expect(importSuppressions(...args)).rejects.toThrow(reason);
  });

  test("refuses a file that is missing or not named", async () => {
    const accountId = await anAccount(database.db);
    const args = ["--account", accountId, "--from", "csv"];
    await expect(importSuppressions(...args)).rejects.toThrow("--from csv needs --file");
    await expect(importSuppressions(...args, "--file", join(folder, "none.csv"))).rejects.toThrow("cannot be read");
  });
});

describe("postern admin import-suppressions --from ses", () => {
  const own = useTestDatabase();

  test("imports the list of SES with its reasons into the only account, over several pages", async () => {
    const ses = new SESv2Client({ region: simulated.region, endpoint: simulated.url });
    const put = (EmailAddress: string, Reason: "BOUNCE" | "COMPLAINT") =>
      ses.send(new PutSuppressedDestinationCommand({ EmailAddress, Reason }));
    for (let number = 0; number < 1_200; number++) await put(`n${number}@x.test`, number % 2 ? "COMPLAINT" : "BOUNCE");
    await change(own.db, "update control_budget set spacing = '1 microsecond', next_at = now()");
    const accountId = await anAccount(own.db);
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const environment = anEnvironment({ ...simulatorSettings(simulated), DATABASE_URL: own.url });
    const program = createProgram(async () => environment);
    await program.parseAsync(["admin", "import-suppressions", "--account", accountId, "--from", "ses", "--apply"], {
      from: "user",
    });
    write.mockRestore();
    const rows = await change(
      own.db,
      'select reason, reported_reason as "reportedReason", count(*) from suppressions group by 1, 2 order by 1',
    );
    expect(rows).toEqual([
      { reason: "complaint", reportedReason: "complaint", count: 600 },
      { reason: "hard_bounce", reportedReason: "hard_bounce", count: 600 },
    ]);
  });
});
