import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { change } from "../../../../../service/test/send-rows.ts";
import { expectNoViolations } from "../../../../test/expect-no-violations.ts";
import { makeOperator } from "../../../../test/operator-person.ts";
import { useConsole } from "../../../../test/use-console.ts";

const ui = useConsole();

test("quota, rate, reputation and failed suppression removals are shown, without the addresses", async () => {
  const name = `Quillpost ${randomBytes(3).toString("hex")}`;
  const tenant = await ui.aPerson({ accountName: name });
  await change(
    ui.db,
    `insert into removed_suppressions (account_id, mode, email, removed_by_kind, provider_status, provider_finished_at, provider_error)
     values ($1, 'live', 'gone@northwind.example', 'user', 'refused', now(), 'invalid')`,
    [tenant.accountId],
  );
  const operator = await ui.aPerson({ accountName: "Operations" });
  const page = await ui.newPage({ as: operator });
  await makeOperator(ui.db, operator);
  await page.goto("/operator/ses");
  const row = page.getByRole("row").filter({ hasText: name });
  await row.getByText("SES does not accept the address").waitFor();
  await page.getByText("Healthy").waitFor();
  expect(await page.content()).not.toContain("gone@northwind.example");
  await expectNoViolations(page);
});

test("the forecast says when the disk is full, and the chart shows 30 days", async () => {
  const operator = await ui.aPerson({ accountName: "Operations" });
  const page = await ui.newPage({ as: operator });
  await makeOperator(ui.db, operator);
  await page.route("**/api/v1/operator/status", async (route) => {
    const answer = await route.fetch();
    const status = await answer.json();
    const day = 86_400_000;
    const history = Array.from({ length: 30 }, (_, index) => ({
      at: new Date(Date.now() - (29 - index) * day).toISOString(),
      bytes: (40 + index) * 1e9,
    }));
    const database = {
      ...status.database,
      bytes: 69e9,
      bytes_per_day: 1e9,
      limit_bytes: 100e9,
      full_in_seconds: 31 * 86_400,
      history,
    };
    await route.fulfill({ response: answer, json: { ...status, database } });
  });
  await page.goto("/operator/storage");
  await page.getByText("At this growth its disk is full in 31").waitFor();
  await page.getByRole("img", { name: /^From 40\sGB on .* to 69\sGB on / }).waitFor();
  await expectNoViolations(page);
});
