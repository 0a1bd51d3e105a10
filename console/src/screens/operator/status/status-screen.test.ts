import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { addGuardCounts } from "../../../../../service/test/guard-counts.ts";
import { expectNoViolations } from "../../../../test/expect-no-violations.ts";
import { makeOperator } from "../../../../test/operator-person.ts";
import { useConsole } from "../../../../test/use-console.ts";

const ui = useConsole();
/** The first answer of a loaded machine takes longer than the usual second. */
const slow = { timeout: 15_000 };

async function anOperatorPage(options: { width?: 390 | 1440; withCode?: boolean } = {}) {
  const operator = await ui.aPerson({ accountName: "Operations" });
  const page = await ui.newPage({ as: operator, width: options.width ?? 1440 });
  await makeOperator(ui.db, operator, { withCode: options.withCode ?? true });
  return { operator, page };
}

test("the operator finds the account with the most bounces and holds it with a reason, which its owner reads", async () => {
  const name = `Copperline ${randomBytes(3).toString("hex")}`;
  const tenant = await ui.aPerson({ accountName: name });
  await addGuardCounts(ui.db, tenant.accountId, { outcomes: 1000, hardBounces: 90, complaints: 1 });
  const { operator, page } = await anOperatorPage();
  await page.goto("/operator/status");
  const problem = page.getByRole("listitem").filter({ hasText: `Bounces or complaints of ${name}` });
  await problem.waitFor();
  await expectNoViolations(page);
  expect(await problem.getByRole("link", { name: "Runbook" }).getAttribute("href")).toBe(
    "/operator/runbook#the-guard-holds-an-account",
  );
  await problem.getByRole("button", { name: "Copy command" }).click();
  const command = `postern admin guard --account ${tenant.accountId}`;
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), slow).toBe(command);

  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Hold mail…" }).click();
  const dialog = page.getByRole("dialog", { name: `Hold the mail of ${name}?` });
  await dialog.getByLabel("Reason").waitFor();
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  expect(await dialog.isVisible(), "without a reason nothing happens").toBe(true);
  await page.keyboard.type("Sends to bought lists");
  await page.keyboard.press("Enter");
  await page.getByText(`The mail of ${name} is on hold.`).waitFor();
  const row = page.getByRole("row").filter({ hasText: name });
  await row.getByText("Held").waitFor();
  const { data } = await ui
    .api(tenant)
    .get<{ data: { entries: { action: string; reason: string; actor: object }[] } }>("/audit?action=account.hold");
  expect(data.entries).toMatchObject([
    { action: "account.hold", reason: "Sends to bought lists", actor: { kind: "operator", name: operator.email } },
  ]);
});

test("the runbook opens at the section of a problem", async () => {
  const { page } = await anOperatorPage();
  await page.goto("/operator/runbook#vacuum-is-blocked");
  const heading = page.getByRole("heading", { name: "Vacuum is blocked" });
  await heading.waitFor();
  await expect.poll(async () => (await heading.boundingBox())?.y ?? 9999, slow).toBeLessThan(200);
  await expectNoViolations(page);
});

test("people without the flag see no operator pages, and no request for them is sent", async () => {
  const owner = await ui.aPerson({ role: "owner" });
  const page = await ui.newPage({ as: owner });
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/operator/")) asked.push(request.url());
  });
  await page.goto("/");
  await page.getByRole("link", { name: "Activity" }).waitFor();
  expect(await page.getByRole("link", { name: "Quarantine" }).count()).toBe(0);
  await page.goto("/operator/status");
  await page.getByRole("heading", { name: "This page is for operators of the installation" }).waitFor();
  await expectNoViolations(page);
  expect(asked).toEqual([]);
});

test("an operator who logged in without a code learns what is missing and how to get it", async () => {
  const { operator, page } = await anOperatorPage({ withCode: false, width: 390 });
  await page.goto("/operator/accounts");
  await page.getByText("This login did not use a code of your authenticator app").waitFor();
  await page.getByText(`postern admin set-operator --email ${operator.email}`).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL("**/log-in**");
});

test("a failed request is explained and can be repeated", async () => {
  const { page } = await anOperatorPage();
  await page.route("**/api/v1/operator/status", (route) =>
    route.fulfill({
      status: 422,
      json: {
        success: false,
        error: { code: "VALIDATION_ERROR", message: "Not now.", request_id: "r-1", doc_url: "" },
      },
    }),
  );
  await page.goto("/operator/status");
  await page.getByText("Not now.").waitFor();
  await expectNoViolations(page);
  await page.unroute("**/api/v1/operator/status");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: /problem/i }).waitFor();
});

const pages = {
  status: "Status",
  accounts: "Accounts",
  queue: "Queue",
  processes: "Processes",
  quarantine: "Quarantine",
  ses: "SES",
  storage: "Storage",
  runbook: "Runbook",
};

test("every operator page fits a phone and passes axe", async () => {
  const { page } = await anOperatorPage({ width: 390 });
  for (const [path, title] of Object.entries(pages)) {
    await page.goto(`/operator/${path}?mode=test`);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await expect.poll(() => page.locator("main :is([aria-busy=true], [role=status])").count(), slow).toBe(0);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, path).toBeLessThanOrEqual(0);
    expect(await page.getByText("Test mode").count(), path).toBe(0);
    await expectNoViolations(page);
  }
});

test("the palette finds the pages for an operator", async () => {
  const { page } = await anOperatorPage();
  await page.goto("/");
  await page.getByRole("link", { name: "Processes" }).waitFor();
  await page.keyboard.press("Control+k");
  // What a script types before the field has the focus is lost.
  await page.locator("[role=combobox]:focus").waitFor();
  await page.keyboard.type("processes");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/operator/processes");
  await page.getByRole("row").filter({ hasText: "Alive" }).first().waitFor();
  await expectNoViolations(page);
});
