import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import type { SeededMail } from "../../../test/seed-mail.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();
let owner: Person;
let mail: SeededMail;

beforeAll(async () => {
  owner = await ui.aPerson();
  mail = await ui.seedMail(owner, { modes: ["live"] });
}, 120_000);

function find(status: string, position = 0) {
  const send = mail.sends.filter((each) => each.status === status)[position];
  if (send === undefined) throw new Error(`no seeded send is ${status}`);
  return { ...send, recipient: send.to[0] ?? "" };
}

async function anActivityPage(search = "", as = owner) {
  const page = await ui.newPage({ as });
  await page.goto(`/activity${search}`);
  await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  return page;
}

test("by keyboard: why did Jane get nothing, and lift her suppression", async () => {
  const jane = find("bounced").recipient;
  const page = await anActivityPage();
  await page.getByRole("row").nth(1).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(jane);
  await page.getByText("Enter shows the mail to this address").waitFor();
  await page.keyboard.press("Enter");
  const card = page.getByRole("region", { name: `About ${jane}` });
  await card.getByText(/^Suppressed since/).waitFor();
  await expect.poll(() => card.innerText()).toMatch(/does not exist.*did not send 1 later mail/s);
  await expect.poll(() => card.innerText()).toMatch(/550 5\.1\.1/);
  await expectNoViolations(page);

  await card.getByRole("button", { name: "Copy answer" }).press("Enter");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`${jane} is suppressed since`);

  await card.getByRole("button", { name: "Lift suppression" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Lift the suppression?" });
  await dialog.getByRole("button", { name: "Lift suppression" }).press("Enter");
  await card.getByText(/^Not suppressed/).waitFor();
  await card.getByText(/lifted on .* by/).waitFor();
});

test("a complaint is lifted only with the address typed; a viewer cannot lift", async () => {
  const kate = find("complained").recipient;
  const viewer = await ui.aPerson({ role: "viewer", colleagueOf: owner });
  const theirs = await anActivityPage(`?recipient=${kate}`, viewer);
  await theirs.getByText(/^Suppressed since/).waitFor();
  expect(await theirs.getByRole("button", { name: "Lift suppression" }).count()).toBe(0);

  const developer = await ui.aPerson({ role: "developer", colleagueOf: owner });
  const page = await anActivityPage(`?recipient=${kate}`, developer);
  await page.getByRole("button", { name: "Lift suppression" }).click();
  const dialog = page.getByRole("dialog");
  const confirm = dialog.getByRole("button", { name: "Lift suppression" });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill(kate);
  await confirm.click();
  await page.getByText(/^Not suppressed/).waitFor();
});

test("filters by cell, menu, text and keyboard, all in the address of the page", async () => {
  const page = await anActivityPage();
  const row = page.getByRole("row").filter({ hasText: "Book club" });
  await row.hover();
  await row.getByRole("button", { name: "Filter by this status" }).click();
  await expect.poll(() => page.url()).toContain("status=bounced");
  await expect.poll(() => page.getByRole("row").count()).toBe(4);

  await page.keyboard.press("Escape");
  await page.locator("body").click({ position: { x: 700, y: 850 } });
  await page.keyboard.press("f");
  await page.getByRole("menuitem", { name: "Failed" }).press("Enter");
  await expect.poll(() => page.url()).toContain("status=failed");
  await expect.poll(() => page.getByRole("row").count()).toBe(2);

  await page.getByRole("textbox").focus();
  await page.keyboard.press("Backspace");
  await expect.poll(() => page.url()).not.toContain("status");
  await page.keyboard.type("hello there");
  await page.keyboard.press("Enter");
  await page.getByText("This is no address, send id, SES id, domain or status.").waitFor();

  const { id } = find("delivered");
  const { provider_message_id } = await ui.api(owner).get<{ provider_message_id: string }>(`/send/${id}/status`);
  await page.getByRole("textbox").fill(provider_message_id);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("provider_message_id=");
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByRole("textbox").fill(id);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/sends/${id}`);
});

test("j, k and Enter open a row; a send to several says what happened to the searched one", async () => {
  const club = mail.sends.find(({ to }) => to.length === 2 && to[1]?.startsWith("book.club"));
  const page = await anActivityPage(`?recipient=${club?.to[1]}`);
  const row = page.getByRole("row").nth(1);
  await expect.poll(() => row.innerText()).toMatch(/Delivered.*book\.club.*\+1/s);
  await page.locator("body").click({ position: { x: 700, y: 850 } });
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/sends/${club?.id}`);
});

describe("many sends", () => {
  test("new rows wait, pages follow cursors, and the file has no formulas", { timeout: 60_000 }, async () => {
    const person = await ui.aPerson();
    const api = ui.api(person);
    const { key } = await api.post<{ key: string }>("/api-keys", { name: "Shop", type: "test", scopes: ["send"] });
    const post = (subject: string) =>
      api.post<{ id: string }>(
        "/send",
        { from: "shop@sandbox.test", to: ["delivered@sandbox.test"], subject, text: "x" },
        { "x-api-key": key, authorization: "" },
      );
    for (let count = 0; count < 52; count += 1) await post(`=1+${count}`);
    const page = await anActivityPage("?mode=test", person);
    await page.getByText("The newest 50 sends").waitFor();
    const first = page.getByRole("row").nth(1);
    await expect.poll(() => first.innerText()).toContain("=1+51");

    await post("The newest one");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await first.innerText()).toContain("=1+51");
    await page.getByRole("button", { name: "1 new" }).click();
    await expect.poll(() => first.innerText()).toContain("The newest one");

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    expect(text.split("\r\n")).toHaveLength(52);
    expect(text).toContain(",'=1+51,");

    await page.getByRole("button", { name: "Next page" }).click();
    await expect.poll(() => page.url()).toContain("before=");
    await page.getByText("3 sends on this page").waitFor();
    await page.getByRole("button", { name: "Previous page" }).click();
    await page.getByText("The newest 50 sends").waitFor();
    expect(page.url()).not.toContain("before=");
  });
});

describe("nothing to show", () => {
  test("a new account gets a command and a link to its keys, a viewer no link", async () => {
    const person = await ui.aPerson();
    const page = await anActivityPage("", person);
    await page.getByRole("heading", { name: "No mail yet" }).waitFor();
    await page.getByRole("link", { name: "Make a key and send the first mail" }).waitFor();
    await expectNoViolations(page);
    const viewer = await ui.aPerson({ role: "viewer", colleagueOf: person });
    const theirs = await anActivityPage("", viewer);
    await theirs.getByRole("heading", { name: "No mail yet" }).waitFor();
    expect(await theirs.getByRole("link", { name: /Make a key/ }).count()).toBe(0);
  });

  test("a search without a result says what was searched and offers what leads to one", async () => {
    const { recipient } = find("failed");
    const page = await anActivityPage(`?recipient=${recipient}&status=delivered&range=30d`);
    await page.getByRole("heading", { name: `No delivered mail to ${recipient} in the last 30 days` }).waitFor();
    await page.getByRole("button", { name: "All statuses" }).waitFor();
    expect(await page.getByText("Switch to test").count()).toBe(0);
    await expectNoViolations(page);
    await page.getByRole("button", { name: "All statuses" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
  });

  test("an error says what happened, and a retry recovers", async () => {
    const page = await ui.newPage({ as: owner });
    const body = { success: false, error: { code: "BAD_REQUEST", message: "Broken by the test.", request_id: "r-1" } };
    await page.route("**/api/v1/sends?*", (route) => route.fulfill({ status: 400, json: body }));
    await page.goto("/activity");
    await page.getByText("Broken by the test.").waitFor();
    await expectNoViolations(page);
    await page.unroute("**/api/v1/sends?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(13);
  });
});
