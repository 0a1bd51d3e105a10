import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { setQuotas } from "../../../../service/src/accounts/quota-store.ts";
import { addGuardCounts } from "../../../../service/test/guard-counts.ts";
import { change } from "../../../../service/test/send-rows.ts";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { seedUsage, sixtyDays } from "../../../test/seed-usage.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

/** An account whose mail and rates are known. One send makes it an account that has sent. */
async function aBusyAccount(): Promise<Person> {
  const person = await ui.aPerson();
  await ui.api(person).post("/send?mode=test", mail);
  await change(ui.db, "update sends set mode = 'live' where account_id = $1", [person.accountId]);
  await seedUsage(ui.db, person.accountId, sixtyDays());
  await addGuardCounts(ui.db, person.accountId, { outcomes: 3460, hardBounces: 144, complaints: 2 });
  return person;
}

const mail = { from: "a@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hi", text: "Hi" };
const plain = (text: string | null) => (text ?? "").replaceAll("\u00a0", " ");
const figure = async (page: Page, label: string) =>
  plain(await page.getByRole("link", { name: new RegExp(`^${label}`) }).innerText()).split("\n");
const attention = (page: Page) => page.getByRole("region", { name: /Needs attention/ });

async function open(person: Person, path = "/") {
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  await page.getByRole("link", { name: /^Accepted/ }).waitFor();
  return page;
}

test("figures, bars and rates show the usage of the account and lead to the sends behind them", async () => {
  const person = await aBusyAccount();
  const page = await open(person, "/?range=24h");
  const { data } = await ui.api(person).get<{ data: { usage: Record<string, number>[] } }>("/usage?mode=live");
  const sum = (name: string) => data.usage.reduce((total, entry) => total + (entry[name] ?? 0), 0);
  expect((await figure(page, "Accepted"))[1]).toBe(sum("accepted_recipients").toLocaleString("en-GB"));
  expect(await figure(page, "Bounced, hard")).toEqual([
    "Bounced, hard",
    String(sum("bounced_hard")),
    expect.stringMatching(/^\d+ the day before$/),
  ]);
  expect((await figure(page, "Delivered"))[1]).toMatch(/^9\d\.\d%$/);
  expect((await figure(page, "Time to delivery"))[1]).toBe("≤ 8 s");

  await page.getByText("31 hard bounces left before SES reviews you").waitFor();
  await page.getByText("2 complaints left before SES reviews you").waitFor();
  await page.getByText("Close to review").waitFor();
  expect(await page.getByRole("img", { name: /SES reviews at 5 % and pauses at 10 %/ }).count()).toBe(1);
  await expectNoViolations(page);

  await page.getByRole("link", { name: /^Bounced, hard/ }).click();
  await page.waitForURL(/\/activity\?status=bounced&since=.+&until=.+/);
});

test("a drag over bars selects a range, a button ends it, and keys do the same", async () => {
  const page = await open(await aBusyAccount());
  const bars = page.getByRole("figure").filter({ hasText: "Getting through" }).getByRole("button");
  const [first, last] = [await bars.nth(2).boundingBox(), await bars.nth(5).boundingBox()];
  if (first === null || last === null) throw new Error("the chart has no bars");
  await page.mouse.move(first.x + 2, first.y + 20);
  await page.mouse.down();
  await page.mouse.move(last.x + 2, last.y + 20, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/since=.+&until=/);
  const { searchParams } = new URL(page.url());
  const hours = (Date.parse(searchParams.get("until") ?? "") - Date.parse(searchParams.get("since") ?? "")) / 3_600_000;
  expect(hours).toBe(24);
  await page.getByText("1 h a bar").waitFor();

  await page.getByText("30 d", { exact: true }).click();
  await page.waitForURL((url) => url.search === "?range=30d");
  await page.getByText("1 day a bar").waitFor();

  await bars.last().focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  await page.waitForURL(/since=.+&until=/);
  await page.getByText("1 h a bar").waitFor();
});

describe("what needs attention", () => {
  test("is listed with a next step each", async () => {
    const person = await aBusyAccount();
    const { accountId } = person;
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await ui.api(person).post("/api-keys", { name: "Web shop", type: "live", expires_at: soon });
    await ui.api(person).post("/domains", { domain_name: `mail-${accountId}.example` });
    await change(
      ui.db,
      "update domains set verification_status = 'Failed', next_check_at = now() + interval '1 day' where account_id = $1",
      [accountId],
    );
    await change(ui.db, "update accounts set guard_held_at = now(), guard_reason = 'Too many bounces.' where id = $1", [
      accountId,
    ]);
    await setQuotas(ui.db, { accountId, mode: "live" }, { recipientsPerDay: 1 });
    // An API process reads the quotas of all accounts every two seconds.
    const quotas = async () => (await ui.api(person).get<{ quotas: unknown[] }>("/account")).quotas;
    await expect.poll(quotas, { timeout: 10_000 }).toHaveLength(1);
    const page = await open(person);
    const panel = attention(page);
    await panel.getByText("Your mail is on hold").waitFor();
    await panel.getByText("Too many bounces.").waitFor();
    await panel.getByText(/^Mail to \d+\srecipients? failed$/).waitFor();
    await panel.getByText(/^Verification of mail-.*\.example failed$/).waitFor();
    await panel.getByText("The quota for recipients a day is used up").waitFor();
    await panel.getByText(/^The API key Web shop expires on /).waitFor();
    await panel.getByRole("link", { name: "Show failed sends" }).click();
    await page.waitForURL(/\/activity\?status=failed&since=/);
  });

  test("is nothing for an account without problems", async () => {
    const person = await ui.aPerson();
    const page = await open(person);
    await attention(page).getByText("No problems found.").waitFor();
  });
});

describe("first steps", () => {
  test("lead a new account from a key to live mail, and stay until the page is opened again", async () => {
    const person = await ui.aPerson();
    const page = await open(person);
    const steps = page.getByRole("region", { name: /First steps/ });
    await steps.getByText("0 of 5 done").waitFor();
    await page.getByText("No mail yet").waitFor();
    await expectNoViolations(page);
    await ui.api(person).post("/api-keys", { name: "Staging", type: "test" });
    await page.reload();
    await steps.getByText("1 of 5 done").waitFor();
    await steps.getByRole("button", { name: "Copy command" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^curl http.*delivered@sandbox\.test/s);
    await ui.api(person).post("/send?mode=test", mail);
    await page.reload();
    await steps.getByText("2 of 5 done").waitFor();
    await steps.getByRole("link", { name: "Add a domain" }).click();
    await page.waitForURL("**/domains");
    await change(ui.db, "update sends set mode = 'live' where account_id = $1", [person.accountId]);
    await page.goto("/");
    await page.getByRole("link", { name: /^Accepted/ }).waitFor();
    expect(await steps.count()).toBe(0);
  });

  test("have no buttons for a viewer", async () => {
    const page = await open(await ui.aPerson({ role: "viewer" }));
    const steps = page.getByRole("region", { name: /First steps/ });
    await steps.getByText("0 of 5 done").waitFor();
    expect(await steps.getByRole("link").count()).toBe(0);
  });
});

test("test mode has its own figures, and no rates", async () => {
  const person = await ui.aPerson();
  await seedUsage(ui.db, person.accountId, [{ hoursAgo: 0, mode: "test", accepted: 7, delivered: 6, bouncedHard: 1 }]);
  const page = await open(person, "/?mode=test");
  expect((await figure(page, "Accepted"))[1]).toBe("7");
  expect(await figure(page, "Delivered")).toEqual(["Delivered", "6", "of 7 outcomes"]);
  expect(await page.getByText("Hard bounce rate").count()).toBe(0);
});

test("an error of the API is shown with its request id, and the page recovers", async () => {
  const person = await aBusyAccount();
  const page = await ui.newPage({ as: person });
  const error = { code: "VALIDATION_ERROR", message: "The range is too long.", request_id: "0199-request" };
  await page.route("**/api/v1/usage?*", (route) => route.fulfill({ status: 422, json: { success: false, error } }));
  await page.goto("/");
  await page.getByText("The range is too long.").waitFor();
  await page.getByText("0199-request").waitFor();
  await page.unroute("**/api/v1/usage?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: /^Accepted/ }).waitFor();
});
