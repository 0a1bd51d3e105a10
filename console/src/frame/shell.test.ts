import { expect, test } from "vitest";
import { expectNoViolations } from "../../test/expect-no-violations.ts";
import { useConsole } from "../../test/use-console.ts";

const ui = useConsole();

async function logInBy(page: Awaited<ReturnType<typeof ui.newPage>>, email: string, password: string) {
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.keyboard.press("Enter");
}

test("a person logs in with the keyboard and lands where the address pointed", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage();
  await page.goto("/keys?mode=test");
  await page.waitForURL("**/log-in?**");
  await expectNoViolations(page);
  await logInBy(page, person.email, "wrong");
  await page.getByRole("alert").waitFor();
  await expectNoViolations(page);
  await logInBy(page, person.email, person.password);
  await page.waitForURL("**/keys?mode=test");
});

test("no token is in local or session storage, or readable in a cookie", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  await page.goto("/");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(stored).not.toMatch(/eyJ|AA[\w-]{40}/);
  expect(JSON.parse(stored)[2]).toBe("");
});

test("a log-out in one tab logs out all", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  await page.goto("/");
  const other = await page.context().newPage();
  await other.goto("/keys");
  await other.getByRole("heading", { name: "API keys" }).waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL("**/log-in**");
  await other.waitForURL("**/log-in**");
});

test("a switch of the account shows the other account in every tab", async () => {
  const person = await ui.aPerson({ accountName: "Fernhill Books" });
  const second = await ui.aPerson({ accountName: "Tidewater Tea" });
  await ui.db.query({
    name: "join-second-account",
    text: "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')",
    values: [person.id, second.accountId],
  });
  const page = await ui.newPage({ as: person });
  await page.goto("/keys");
  const other = await page.context().newPage();
  await other.goto("/keys");
  await other.getByRole("button", { name: "Account Fernhill Books: change" }).waitFor();
  await page.getByRole("button", { name: "Account Fernhill Books: change" }).click();
  await page.getByRole("menuitem", { name: "Tidewater Tea" }).click();
  await page.getByRole("button", { name: "Account Tidewater Tea: change" }).waitFor();
  await other.getByRole("button", { name: "Account Tidewater Tea: change" }).waitFor();
  expect(await other.getByRole("button", { name: "Create key" }).count()).toBe(0);
});

test("the palette jumps to a page, an address and a send by keyboard", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  await page.goto("/keys?mode=test");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.locator("[role=combobox]:focus").waitFor();
  await expectNoViolations(page);
  await page.keyboard.type("usag");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/usage?mode=test");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("jane@whitaker.example");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/activity?mode=test&recipient=jane%40whitaker.example");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/sends/019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4**");
});

test("the help lists the keys, and the mode stays with every page", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  await page.goto("/keys");
  await page.getByRole("radio", { name: "Test" }).check();
  await page.waitForURL("**/keys?mode=test");
  await page.getByText("Test mode: you see test mail only.").waitFor();
  await page.getByRole("link", { name: "Domains" }).click();
  await page.waitForURL("**/domains?mode=test");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await expectNoViolations(page);
  await page.keyboard.press("Escape");
});

test("on a phone the menu opens, leads to a page and closes", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person, width: 390 });
  await page.goto("/keys");
  await page.getByRole("button", { name: "Open the menu" }).click();
  await expectNoViolations(page);
  await page.getByRole("link", { name: "Usage and limits" }).click();
  await page.waitForURL("**/usage");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("an unknown address explains itself", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  const answer = await page.goto("/no-such-page");
  expect(answer?.status()).toBe(404);
});
