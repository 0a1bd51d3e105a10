import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { addGuardCounts } from "../../../../../service/test/guard-counts.ts";
import { change } from "../../../../../service/test/send-rows.ts";
import { expectNoViolations } from "../../../../test/expect-no-violations.ts";
import { makeOperator } from "../../../../test/operator-person.ts";
import { seedUsage } from "../../../../test/seed-usage.ts";
import { useConsole } from "../../../../test/use-console.ts";

const ui = useConsole();
/** The first answer of a loaded machine takes longer than the usual second. */
const slow = { timeout: 15_000 };

async function anOperatorPage() {
  const operator = await ui.aPerson({ accountName: "Operations" });
  const page = await ui.newPage({ as: operator });
  await makeOperator(ui.db, operator);
  return page;
}

const word = () => randomBytes(4).toString("hex");

test("accounts are ordered by bounces, complaints and volume, found by name, and opened by keyboard", async () => {
  const label = word();
  // One after the other: accounts with equal figures are ordered by their age.
  const bad = await ui.aPerson({ accountName: `${label} bad` });
  const loud = await ui.aPerson({ accountName: `${label} loud` });
  const busy = await ui.aPerson({ accountName: `${label} busy` });
  await addGuardCounts(ui.db, bad.accountId, { outcomes: 500, hardBounces: 60 });
  await addGuardCounts(ui.db, loud.accountId, { outcomes: 500, hardBounces: 5, complaints: 1 });
  await seedUsage(ui.db, busy.accountId, [{ hoursAgo: 0, accepted: 4321 }]);
  const page = await anOperatorPage();
  await page.goto("/operator/accounts");
  await page.getByRole("link", { name: `${label} bad` }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(label);
  await page.keyboard.press("Enter");
  const names = () =>
    page
      .getByRole("table", { name: "Accounts" })
      .locator("tbody tr td:first-child")
      .allTextContents()
      .then((texts) => texts.map((text) => text.replace(`${label} `, "")));
  await expect.poll(names, slow).toEqual(["bad", "loud", "busy"]);
  await expectNoViolations(page);
  await page.getByRole("group", { name: "Order" }).getByText("Complaints").click();
  await expect.poll(names, slow).toEqual(["loud", "bad", "busy"]);
  await page.getByRole("button", { name: "Recipients, 24 h" }).click();
  await expect.poll(names, slow).toEqual(["busy", "bad", "loud"]);
  expect(await page.getByRole("row").filter({ hasText: "busy" }).textContent()).toContain("4,321");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: `${label} busy` }).waitFor();
});

test("limits, quotas and a trial are changed with a reason, and the owner reads them in the audit", async () => {
  const tenant = await ui.aPerson({ accountName: `Fernhill ${word()}` });
  const page = await anOperatorPage();
  await page.goto(`/operator/accounts/${tenant.accountId}`);
  await page.getByText("are too few for a rate").waitFor();
  await expectNoViolations(page);
  const limits = page.getByRole("region", { name: "Limits" });
  await limits.getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: /^Limits of/ });
  await dialog.getByLabel("Domains").fill("7");
  await expectNoViolations(page);
  await dialog.getByLabel("Reason").fill("A small shop");
  await page.keyboard.press("Enter");
  await expect.poll(() => limits.textContent(), slow).toMatch(/Domains7/);
  const quotas = page.getByRole("region", { name: "Quotas and usage" });
  await quotas.getByRole("button", { name: "Change" }).click();
  const trial = page.getByRole("dialog", { name: /^Quotas and trial of/ });
  await trial.getByLabel("Recipients a day on trial").fill("20");
  await trial.getByLabel("Reason").fill("New and unknown");
  await page.keyboard.press("Enter");
  await page.getByText("sends on trial, to at most 20").waitFor();
  await quotas.getByRole("button", { name: "Change" }).click();
  await trial.getByLabel("Recipients a day on trial").fill("");
  await trial.getByLabel("Reason").fill("Known now");
  await page.keyboard.press("Enter");
  await expect.poll(() => quotas.textContent(), slow).toMatch(/Trialnone/);
  const { data } = await ui.api(tenant).get<{ data: { entries: { action: string; reason: string }[] } }>("/audit");
  const done = data.entries.filter(({ reason }) => reason !== null).map(({ action, reason }) => [action, reason]);
  expect(done).toEqual([
    ["account.quotas-change", "Known now"],
    ["account.quotas-change", "New and unknown"],
    ["account.limits-change", "A small shop"],
  ]);
});

test("the hold of the guard ends, the guard is turned off, and a wrong number is explained", async () => {
  const tenant = await ui.aPerson({ accountName: `Copperline ${word()}` });
  await change(ui.db, "update accounts set guard_held_at = now(), guard_reason = 'Too many bounces.' where id = $1", [
    tenant.accountId,
  ]);
  const page = await anOperatorPage();
  await page.goto(`/operator/accounts/${tenant.accountId}`);
  await page.getByText("The guard holds the live mail of").waitFor();
  const choose = async (item: string, button: string) => {
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: item }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("The list is clean now");
    await page.getByRole("dialog").getByRole("button", { name: button }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await choose("End the hold of the guard…", "End the hold");
  await page
    .getByText(/^The mail of Copperline/)
    .first()
    .waitFor();
  await choose("Turn the guard off…", "Turn off");
  await page.getByText("off: it never holds").waitFor();
  await page.getByRole("button", { name: "Hold mail" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("  ");
  await page.keyboard.press("Enter");
  await page
    .getByRole("alert")
    .getByText(/reason/)
    .first()
    .waitFor();
  await expectNoViolations(page);
});

test("an unknown account says so", async () => {
  const page = await anOperatorPage();
  await page.goto("/operator/accounts/01990000-0000-7000-8000-000000000000");
  await page.getByText("There is no account with this id.").first().waitFor();
  await expectNoViolations(page);
});
