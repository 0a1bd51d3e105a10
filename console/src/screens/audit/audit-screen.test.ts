import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

async function aKey(person: Person, name: string): Promise<string> {
  return (await ui.api(person).post<{ id: string }>("/api-keys", { name, type: "live", scopes: ["send"] })).id;
}

test("who revoked a key is found by the name of the key", async () => {
  const owner = await ui.aPerson();
  const developer = await ui.aPerson({ role: "developer", colleagueOf: owner });
  const [id] = [await aKey(owner, "web shop"), await aKey(owner, "back office")];
  await ui.api(developer).delete(`/api-keys/${id}`);
  const page = await ui.newPage({ as: owner });
  await page.goto("/");
  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByText("created the live API key back office").first().waitFor();
  await expectNoViolations(page);
  await page.keyboard.press("/");
  await page.keyboard.type("WEB shop");
  await page.keyboard.press("Enter");
  const row = page.getByRole("row", { name: new RegExp(`${developer.email}.*revoked the API key web shop`) });
  await row.waitFor();
  expect(new URL(page.url()).searchParams.get("target")).toBe("WEB shop");
  await page.getByText(/^2.entries$/).waitFor();
});

test("an entry opens by keyboard, says what it means, and has an address of its own", async () => {
  const owner = await ui.aPerson();
  const id = await aKey(owner, "web shop");
  await ui.api(owner).delete(`/api-keys/${id}`);
  const page = await ui.newPage({ as: owner });
  await page.goto("/audit?target=web+shop");
  await page.getByText("revoked the API key web shop").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByText("Requests with this key get 401 since then.").waitFor();
  const facts = page.getByRole("table", { name: "Before and after" });
  await facts.getByRole("row", { name: "scopes send" }).waitFor();
  await expectNoViolations(page);
  await page.reload();
  await page.getByText("Requests with this key get 401 since then.").waitFor();
  await page.getByRole("link", { name: "All by this person" }).click();
  await page
    .getByText(/logged in/)
    .first()
    .waitFor();
  expect(await page.getByRole("combobox", { name: "Who" }).inputValue()).toBe(owner.email);
});

test("before and after stand side by side, with the change marked", async () => {
  const owner = await ui.aPerson();
  const colleague = await ui.aPerson({ role: "viewer", colleagueOf: owner });
  await ui.api(owner).patch(`/members/${colleague.id}`, { role: "developer" });
  const page = await ui.newPage({ as: owner });
  await page.goto(`/audit?target_kind=member&target=${colleague.id}`);
  await page.getByRole("row", { name: /from viewer to developer/ }).click();
  const facts = page.getByRole("table", { name: "Before and after" });
  await facts.getByRole("row", { name: "role viewer developer" }).waitFor();
  expect(await facts.getByRole("columnheader").allTextContents()).toEqual(["Field", "Before", "After"]);
  expect(await facts.locator("mark").allTextContents()).toEqual(["viewer", "developer"]);
  await page.getByRole("button", { name: `Remove the filter member ${colleague.email}` }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
});

test("filters are in the address, by action, person and time, and an empty result says what was searched", async () => {
  const owner = await ui.aPerson();
  await aKey(owner, "web shop");
  const page = await ui.newPage({ as: owner });
  await page.goto("/audit");
  await page.getByRole("combobox", { name: "Action" }).selectOption("API key created");
  await page.getByText(/^1.entry$/).waitFor();
  await page.getByRole("combobox", { name: "Who" }).selectOption(owner.email);
  await page.getByRole("button", { name: "Any time" }).click();
  await page.getByRole("menuitem", { name: "Last hour" }).click();
  await expect
    .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
    .toEqual({ action: "api-key.create", actor: owner.email, range: "1h" });
  await page.getByText("created the live API key web shop").first().waitFor();
  await page.getByRole("combobox", { name: "Action" }).selectOption("Domain removed");
  await page.getByRole("heading", { name: `No entry “Domain removed” by ${owner.email} in the last hour` }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("created the live API key web shop").first().waitFor();
});

test("a long audit is read page by page, and a search that ends early goes on", async () => {
  const owner = await ui.aPerson();
  await ui.db.query({
    name: "many-audit-entries",
    text: `
      insert into audit_entries (id, account_id, actor_kind, action, target_kind, target_id, target_name)
      select new_id_at(now() - number * interval '1 s'), $1, 'system', 'domain.verify', 'domain', number::text, 'n' || number || '.example'
      from generate_series(1, 10100) as number`,
    values: [owner.accountId],
  });
  const page = await ui.newPage({ as: owner });
  await page.goto("/audit?action=domain.verify");
  await page.getByText(/^The newest 50.entries$/).waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("asked for a check of the domain n51.example").first().waitFor();
  await page.getByRole("button", { name: "Previous page" }).click();
  await page.getByText("asked for a check of the domain n1.example").first().waitFor();
  await page.goto("/audit?target=n10090.example");
  await page.getByText("asked for a check of the domain n10090.example").first().waitFor();
});

test("the audit is exported as CSV, with the filters of the page", async () => {
  const owner = await ui.aPerson();
  await aKey(owner, "web shop");
  const page = await ui.newPage({ as: owner });
  await page.goto("/audit?action=api-key.create&range=24h");
  await page.getByText(/^1.entry$/).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  let text = "";
  for await (const chunk of await (await download).createReadStream()) text += String(chunk);
  const [header, line, ...others] = text.trimEnd().split("\r\n");
  expect(header).toMatch(/^\ufeffid,at,actor_kind,/);
  expect(line).toContain(`,user,${owner.id},${owner.email},api-key.create,api-key,`);
  expect(others).toEqual([]);
});

test("a key, a domain, a suppression and a webhook lead to who changed them, for owners only", async () => {
  const owner = await ui.aPerson();
  const developer = await ui.aPerson({ role: "developer", colleagueOf: owner });
  const [domain, jane] = [
    `d${randomBytes(4).toString("hex")}.example`,
    `jane-${randomBytes(4).toString("hex")}@x.example`,
  ];
  await aKey(developer, "web shop");
  const { domain_id } = await ui.api(developer).post<{ domain_id: number }>("/domains", { domain_name: domain });
  await ui.api(developer).post("/suppression?mode=live", { email: jane });
  const webhook = { url: "https://hooks.example.com/in", types: ["send.sent"] };
  const { webhook_id } = await ui.api(developer).post<{ webhook_id: string }>("/webhooks", webhook);
  const page = await ui.newPage({ as: owner });
  const leadsTo = (words: string) =>
    page.getByRole("row", { name: new RegExp(`${developer.email}.*${words}`) }).waitFor();
  await page.goto("/keys");
  await page.getByRole("button", { name: "Actions for web shop" }).click();
  await page.getByRole("menuitem", { name: "Who changed this?" }).click();
  await leadsTo("created the live API key web shop");
  await page.goto(`/domains/${domain_id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Who changed this?" }).click();
  await leadsTo(`added the domain ${domain}`);
  await page.goto("/suppressions");
  await page.getByRole("link", { name: `Who changed ${jane}?` }).click();
  await leadsTo(`suppressed ${jane} in live mode`);
  await page.goto(`/webhooks/${webhook_id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Who changed this?" }).click();
  await leadsTo(`created the webhook ${webhook.url}`);

  const other = await ui.newPage({ as: developer });
  await other.goto("/suppressions");
  await other.getByText("1 address", { exact: true }).waitFor();
  expect(await other.getByRole("link", { name: /Who changed/ }).count()).toBe(0);
  await other.goto("/keys");
  await other.getByRole("button", { name: "Actions for web shop" }).click();
  await other.getByRole("menuitem", { name: "Revoke…" }).waitFor();
  expect(await other.getByRole("menuitem", { name: "Who changed this?" }).count()).toBe(0);
  await other.goto(`/webhooks/${webhook_id}`);
  await other.getByRole("button", { name: "More actions" }).click();
  await other.getByRole("menuitem", { name: "Delete…" }).waitFor();
  expect(await other.getByRole("menuitem", { name: "Who changed this?" }).count()).toBe(0);
});

test.for(["viewer", "developer"] as const)("a %s reads that the audit is for owners", async (role) => {
  const person = await ui.aPerson({ role });
  const page = await ui.newPage({ as: person, width: 390 });
  await page.goto("/audit");
  await page.getByRole("heading", { name: "Only owners of this account see this page" }).waitFor();
  await expectNoViolations(page);
});

test("a failure says so, and the page fits a phone", async () => {
  const owner = await ui.aPerson();
  await aKey(owner, `a key with a very long name ${"x".repeat(80)}`);
  const page = await ui.newPage({ as: owner, width: 390 });
  const error = { code: "FORBIDDEN", message: "Not now.", request_id: "req-1" };
  await page.route("**/api/v1/audit?**", (route) => route.fulfill({ status: 403, json: { success: false, error } }));
  await page.goto("/audit?action=api-key.create");
  await page.getByRole("alert").getByText("Not now.").waitFor();
  await page.unroute("**/api/v1/audit?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: /created the live API key/ }).click();
  await page.getByText("Postern showed the secret once, to this person.").waitFor();
  await expectNoViolations(page);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});
