import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { asAdmin } from "../../../test/template-database.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { roleSettings } from "../session-settings.ts";
import { storeRoleSettings } from "./role-settings.ts";

const database = useTestDatabase();

test("docs/pooler.md lists exactly the settings that migrate stores", () => {
  const page = readFileSync(new URL("../../../../docs/pooler.md", import.meta.url), "utf8");
  const listed = page.matchAll(/^alter role postern in database postern set (\w+) = '(.+)';$/gm);
  expect(Object.fromEntries(Array.from(listed, ([, name, value]) => [name, value]))).toEqual(roleSettings);
});

test("two that store the settings at once both succeed, and a new session has them", async () => {
  await Promise.all([storeRoleSettings(database.url), storeRoleSettings(database.url)]);
  await asAdmin(database.url, async (client) => {
    const { rows } = await client.query("select current_setting('statement_timeout') as timeout");
    expect(rows).toEqual([{ timeout: "8s" }]);
  });
});
