import { describe, expect, test } from "vitest";
import { aMail, describeSubmitContract } from "../../../test/email-provider-contract.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { takeDueReports } from "./report-store.ts";
import { createSandbox } from "./sandbox-provider.ts";
import { scenarioNames, scenarioOf } from "./scenarios.ts";

const database = useTestDatabase();
const sandbox = () => createSandbox(database.db);

describeSubmitContract("the sandbox", sandbox, async () => "sandbox");

describe("the recipient address selects the outcome", () => {
  test.each(scenarioNames)("%s@sandbox.test selects its scenario, also with a label and in capitals", (name) => {
    for (const address of [
      `${name}@sandbox.test`,
      `${name}+order-7@sandbox.test`,
      `${name.toUpperCase()}@Sandbox.TEST`,
    ]) {
      expect(scenarioOf(address)).toBe(name);
    }
  });

  test("every other address is delivered, even if one part of it matches a scenario", () => {
    for (const address of [
      "jane@example.io",
      "bounced@example.io",
      "bounced@mail.sandbox.test",
      "unheard-of@sandbox.test",
    ]) {
      expect(scenarioOf(address)).toBe("delivered");
    }
  });
});

test("the sandbox stores its reports as rows and returns them when they are due, not earlier", async () => {
  const { db } = database;
  await db.query({ name: "clear", text: "delete from sandbox_reports" });
  const mail = aMail({ to: ["late-bounce@sandbox.test"] });
  await sandbox().submit(mail);
  expect(await takeDueReports(db, 10)).toEqual([]);
  const due = async () => {
    await db.query({ name: "pass", text: `update sandbox_reports set due_at = due_at - interval '1 second'` });
    const reports = await takeDueReports(db, 10);
    return reports.map(({ feedback }) => feedback.kind);
  };
  expect(await due()).toEqual(["send", "delivery"]);
  expect(await due()).toEqual(["bounce"]);
});

test("a mail whose reports cannot be stored has an unknown outcome and is not accepted", async () => {
  const broken = createSandbox({ query: () => Promise.reject(new Error("away")) });
  expect(await broken.submit(aMail())).toMatchObject({ kind: "unknown" });
});
