import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { setQuotas } from "../../../../service/src/accounts/quota-store.ts";
import { change } from "../../../../service/test/send-rows.ts";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { seedRefusals, seedTags, seedUsage, sixtyDays } from "../../../test/seed-usage.ts";
import { until } from "../../../test/until.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

async function aUsedAccount(): Promise<Person> {
  const person = await ui.aPerson();
  const { accountId } = person;
  const key = await ui.api(person).post<{ id: string }>("/api-keys", { name: "=Web shop", type: "live" });
  await seedUsage(ui.db, accountId, sixtyDays());
  await seedRefusals(ui.db, { accountId, keyId: key.id }, { VALIDATION_ERROR: 31, RATE_LIMIT_EXCEEDED: 4 });
  await setQuotas(ui.db, { accountId, mode: "live" }, { recipientsPerDay: 1, trial: 5, queuedRecipients: 1000 });
  // API processes read quotas every two seconds.
  type Account = { quotas: unknown[] };
  await until("the quotas apply", 10_000, async () => {
    return (await ui.api(person).get<Account>("/account")).quotas.length === 2;
  });
  return person;
}

test("quotas, rate limits, refused requests and usage are shown, and as CSV", async () => {
  const person = await aUsedAccount();
  const page = await ui.newPage({ as: person });
  await page.goto("/usage");
  const quotas = page.getByRole("region", { name: "Quotas" });
  await quotas.getByText("Used up").waitFor();
  await quotas.getByText("Queued recipients").waitFor();
  await page.getByRole("region", { name: "Rate limits" }).getByText("1,000").waitFor();

  const refused = page.getByRole("region", { name: /Refused requests/ });
  await refused.getByRole("row", { name: /=Web shop VALIDATION_ERROR 31/ }).waitFor();
  const downloads = page.waitForEvent("download");
  await refused.getByRole("button", { name: "CSV" }).click();
  const csv = readFileSync(await (await downloads).path(), "utf8");
  expect(csv).toContain(",'=Web shop,VALIDATION_ERROR,31\r\n");

  const usage = page.getByRole("region", { name: /^Usage$/ });
  await usage.getByRole("row", { name: /alerts\.fernhill\.example/ }).waitFor();
  const bar = await usage.locator("[data-fill] span span").first().boundingBox();
  expect(bar?.width).toBeGreaterThan(20);
  await expectNoViolations(page);
  await usage.getByText("By key").click();
  await page.waitForURL(/group=key/);
  await usage.getByRole("row", { name: /=Web shop.* 0 0 35/ }).waitFor();
  await usage.getByText("By domain").click();
  await usage.getByRole("link", { name: "Sends from alerts.fernhill.example" }).click();
  await page.waitForURL(/\/activity\?domain=alerts\.fernhill\.example&since=/);
});

test("tags are shown with the sends behind them, the largest first, and all of them as CSV", async () => {
  const person = await ui.aPerson();
  await seedTags(ui.db, person.accountId, { receipt: 20, "password.reset": 7, "(other)": 500 });
  const page = await ui.newPage({ as: person });
  await page.goto("/usage?range=24h");
  const usage = page.getByRole("region", { name: /^Usage$/ });
  await usage.getByText("By tag").click();
  await page.waitForURL(/group=tag/);
  await usage.getByRole("row", { name: /receipt.* 20 20 20 0 0 0/ }).waitFor();
  await expectNoViolations(page);
  const many = Object.fromEntries(Array.from({ length: 104 }, (_, number) => [`order-${number}`, 1]));
  await seedTags(ui.db, person.accountId, many);
  await page.reload();
  await usage.getByText(/6\smore tags in the CSV\. .* counted together: 500\ssends, 500 delivered/).waitFor();
  expect(await usage.getByRole("row").nth(2).textContent()).toContain("password.reset");
  expect(await usage.getByRole("row").count()).toBe(101);
  const downloads = page.waitForEvent("download");
  await usage.getByRole("button", { name: "CSV" }).click();
  const lines = readFileSync(await (await downloads).path(), "utf8").split("\r\n");
  expect(lines[1]).toBe("receipt,20,20,20,0,0,0,0,0,500");
  expect(lines.at(-2)).toMatch(/^\(other\),500/);
  await usage.getByRole("link", { name: "Sends with the tag receipt" }).click();
  await page.waitForURL(/\/activity\?tag=receipt&since=/);
});

test("an account without usage has no rows and no quotas", async () => {
  const page = await ui.newPage({ as: await ui.aPerson({ role: "viewer" }), width: 390 });
  await page.goto("/usage?range=24h");
  await page.getByText("No refused requests").waitFor();
  await page.getByText("No usage in this range").waitFor();
  await page.getByText(/has set no quotas/).waitFor();
  await expectNoViolations(page);
  await page.getByText("By tag").click();
  await page.getByText("No mail with tags in this range").waitFor();
  await expectNoViolations(page);
});

test("an error is shown with its request id, and the rest of the page works", async () => {
  const person = await ui.aPerson();
  await change(ui.db, "update accounts set limit_per_minute = 77 where id = $1", [person.accountId]);
  const page = await ui.newPage({ as: person });
  const error = { code: "VALIDATION_ERROR", message: "The range has too many entries.", request_id: "0199-usage" };
  await page.route("**/api/v1/usage?*group=domain*", (route) =>
    route.fulfill({ status: 422, json: { success: false, error } }),
  );
  await page.goto("/usage");
  await page.getByText("The range has too many entries.").waitFor();
  await page.getByText("0199-usage").waitFor();
  await page.getByText("77", { exact: true }).waitFor();
});
