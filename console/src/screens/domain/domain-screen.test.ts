import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { useConsole } from "../../../test/use-console.ts";
import { aDomain, aLook, aSeenRecord } from "./domain-fixture.ts";

const ui = useConsole();
const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString();

async function aVerifiedDomain(person: Person): Promise<{ name: string; path: string }> {
  const name = `mail-${randomBytes(4).toString("hex")}.fernhill.example`;
  await ui.aVerifiedDomain(person, name);
  const [domain] = await ui.api(person).get<{ domain_id: number }[]>("/domains");
  return { name, path: `/domains/${domain?.domain_id}` };
}

/** Every state of a record at once. The DNS of `postern dev` has every record, so the answers are the test's. */
async function showUnverified(page: Page): Promise<void> {
  const checks = [{ status: "found" as const }, { status: "missing" as const }, { status: "wrong" as const }, {}];
  const domain = { ...aDomain(checks), last_checked_at: minutes(-1), next_check_at: minutes(2) };
  const looked = aLook(
    domain,
    [
      { status: "found" },
      { status: "found", resolver: { status: "missing", negative_until: minutes(28) } },
      { status: "wrong", authoritative: { values: ["m7xllo0k.dkim.amazonses.com.mail.fernhill.example"] } },
      { status: "unknown", advice: "DNS answered for this name with an error." },
    ],
    [
      aSeenRecord({
        purpose: "dmarc",
        name: "_dmarc.mail.fernhill.example",
        status: "missing",
        expected: "v=DMARC1; p=none;",
      }),
      aSeenRecord({ purpose: "spf", status: "missing" }),
    ],
  );
  await page.route("**/api/v1/domains/7", (route) => route.fulfill({ json: domain }));
  await page.route("**/api/v1/domains/7/dns", (route) => route.fulfill({ json: looked }));
  await page.goto("/domains/7");
}

async function download(page: Page, button: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
  return `${file.suggestedFilename()}\n${await readFile(await file.path(), "utf8")}`;
}

test("a domain that is not verified says what is wrong, marks the characters and what needs no action", async () => {
  const page = await ui.newPage({ as: await ui.aPerson() });
  await showUnverified(page);
  await page.getByText("mail.fernhill.example is not verified: one of four records is wrong.").waitFor();
  await page
    .getByText(/Our resolver remembers the absence until \d\d:\d\d, for 2[78]\smin\. No action is needed\./)
    .waitFor();
  await page
    .getByText(/The 5th character is the letter l instead of the digit 1, and the DNS provider added/)
    .waitFor();
  const records = page.getByRole("table", { name: "Required records" });
  expect(await records.locator("mark").allTextContents()).toEqual(["1", "l", ".mail.fernhill.example"]);
  expect(await records.getByText(/^(Found|Waiting|Wrong|Unknown)$/).allTextContents()).toEqual([
    "Found",
    "Waiting",
    "Wrong",
    "Unknown",
  ]);
  await page.getByRole("table", { name: "Advice" }).getByText("There is no DMARC record.").waitFor();
  expect(await page.getByRole("button", { name: /Send a test|return path/ }).count()).toBe(0);
  await expectNoViolations(page);
});

test("each value is copied whole, and all records are exported as zone file and as Terraform", async () => {
  const page = await ui.newPage({ as: await ui.aPerson() });
  await showUnverified(page);
  const row = page.getByRole("row", { name: /h4vq2nd7/ });
  await row.getByRole("button", { name: "Copy value" }).click();
  await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe("h4vq2nd7.dkim.amazonses.com");
  await row.getByRole("button", { name: "Copy name" }).click();
  await expect
    .poll(() => page.evaluate("navigator.clipboard.readText()"))
    .toBe("h4vq2nd7._domainkey.mail.fernhill.example");
  expect(await download(page, "Zone file")).toMatch(
    /^mail\.fernhill\.example\.zone\n[\s\S]*h4vq2nd7\._domainkey\.mail\.fernhill\.example\. 3600 IN CNAME h4vq2nd7\.dkim\.amazonses\.com\.\n/,
  );
  expect(await download(page, "Terraform")).toMatch(/^mail\.fernhill\.example\.tf\n[\s\S]*aws_route53_record/);
});

test("check now shows its result, and the limit of the API when it is pressed again", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const { path } = await aVerifiedDomain(person);
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText(/^Checked at \d\d:\d\d: all four records found\. The domain is verified\.$/).waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page
    .getByRole("alert")
    .getByText(/A check of this domain was requested less than/)
    .waitFor();
  await expectNoViolations(page);
});

test("a verified domain sends a test to the person who asks for it", async () => {
  const person = await ui.aPerson();
  const { name, path } = await aVerifiedDomain(person);
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  await page.getByText(`${name} is verified.`).waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(`Postern accepted the test mail to ${person.email}.`).waitFor();
  const href = await page.getByRole("link", { name: "Follow the send" }).getAttribute("href");
  const { data } = await ui.api(person).get<{ data: { sends: object[] } }>("/sends?mode=live");
  expect(data.sends).toMatchObject([
    { id: href?.replace("/sends/", ""), from_address: `noreply@${name}`, to_addresses: [person.email] },
  ]);
});

test("a verified domain gets a return path", async () => {
  const person = await ui.aPerson();
  const { name, path } = await aVerifiedDomain(person);
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  await page.getByRole("button", { name: "Set up return path" }).click();
  const dialog = page.getByRole("dialog", { name: "Set up a return path" });
  await dialog.getByLabel("Subdomain").fill("-");
  await dialog.getByRole("button", { name: "Set return path" }).click();
  await dialog.getByText(/The subdomain must be the part before the domain/).waitFor();
  await expectNoViolations(page);
  await dialog.getByLabel("Subdomain").fill("bounce");
  await page.keyboard.press("Enter");
  await page.getByRole("table", { name: "Advice" }).getByText(`bounce.${name}`).first().waitFor();
  const domain = await ui.api(person).get<{ mail_from: { domain: string } }>(path);
  expect(domain.mail_from.domain).toBe(`bounce.${name}`);
});

test("a domain is removed after its name is typed", async () => {
  const person = await ui.aPerson();
  const { name, path } = await aVerifiedDomain(person);
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Remove domain" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No domain yet" }).waitFor();
  expect(await ui.api(person).get("/domains")).toEqual([]);
});

test("a viewer reads and exports the records on a phone and has no other button", async () => {
  const page = await ui.newPage({ as: await ui.aPerson({ role: "viewer" }), width: 390 });
  await showUnverified(page);
  await page.getByText("Two differences.").waitFor();
  await expectNoViolations(page);
  expect(await page.getByRole("button", { name: /Check now|Send a test|More actions|return path/ }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Zone file" }).count()).toBe(1);
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  expect(isWide).toBe(false);
});

test("an unknown domain and a silent DNS are said in words", async () => {
  const page = await ui.newPage({ as: await ui.aPerson() });
  await page.goto("/domains/2147483647");
  await page.getByRole("heading", { name: "This account has no domain with this id" }).waitFor();
  await expectNoViolations(page);
  await showUnverified(page);
  const error = { code: "RATE_LIMIT_EXCEEDED", message: "This account looks at DNS too often.", request_id: "r" };
  await page.route("**/api/v1/domains/7/dns", (route) =>
    route.fulfill({ status: 429, json: { success: false, error } }),
  );
  await page.reload();
  await page.getByText("This account looks at DNS too often.").waitFor();
  await page.getByText("The last check did not find it.").waitFor();
  await expectNoViolations(page);
});
