import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { aDelivery } from "../../../../service/test/webhook-builders.ts";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { useConsole } from "../../../test/use-console.ts";
import { aWebhookServer } from "../../../test/webhook-server.ts";

const ui = useConsole();

async function aWebhook(person: Person, url = "https://hooks.example.com/in") {
  return ui
    .api(person.owner)
    .post<{ webhook_id: string; secret: string }>("/webhooks", { url, types: ["send.bounced", "send.sent"] });
}

test("deliveries are filtered by state, type and time, in the address of the page", async () => {
  const person = await ui.aPerson({ role: "viewer" });
  const { webhook_id: endpointId } = await aWebhook(person);
  const made = { accountId: person.accountId, endpointId };
  await aDelivery(ui.db, { ...made, type: "send.sent", state: "delivered", hoursAgo: 1, durationMs: 12 });
  await aDelivery(ui.db, { ...made, type: "send.bounced", state: "failed", hoursAgo: 2 });
  await aDelivery(ui.db, { ...made, type: "send.sent", state: "failed", hoursAgo: 50 });
  const page = await ui.newPage({ as: person });
  await page.goto(`/webhooks/${endpointId}?state=failed`);
  await page.getByText("2 deliveries", { exact: true }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("combobox", { name: "Time" }).selectOption("Last 24 hours");
  await page.getByText("1 delivery", { exact: true }).waitFor();
  await page.getByRole("row", { name: /Failed.*send\.bounced/ }).waitFor();
  await page.getByRole("combobox", { name: "Type" }).selectOption("send.sent");
  await page.getByRole("heading", { name: "No failed delivery of send.sent in the last 24 hours" }).waitFor();
  expect(new URL(page.url()).search).toBe("?state=failed&range=24h&type=send.sent");
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Show all deliveries" }).click();
  await page.getByText("3 deliveries", { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("what failed yesterday is replayed, and the page says how much it was", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const server = await aWebhookServer(ui.db, person.accountId);
  onTestFinished(() => server.close());
  const { webhook_id: endpointId } = await aWebhook(person, server.url);
  const made = { accountId: person.accountId, endpointId, state: "failed" } as const;
  // 24 hours ago is yesterday in every zone, and 72 hours ago is not.
  for (const hoursAgo of [24, 24, 72]) await aDelivery(ui.db, { ...made, hoursAgo });
  const page = await ui.newPage({ as: person });
  await page.goto(`/webhooks/${endpointId}`);
  await page.getByRole("button", { name: "Replay" }).click();
  const dialog = page.getByRole("dialog", { name: "Replay a time range" });
  await expectNoViolations(page);
  await dialog.getByRole("button", { name: "Start replay" }).press("Enter");
  await page.getByText("The replay is done: 2 deliveries are sent again.").waitFor();
  await expect.poll(() => server.received.length).toBe(2);
});

test("a running replay has a progress bar and can be cancelled", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const { webhook_id: endpointId } = await aWebhook(person);
  await ui.db.query({
    name: "start-a-long-replay",
    text: `
      insert into webhook_replays (id, account_id, endpoint_id, types, from_at, to_at, position, deliveries, due_at)
      select new_id_at(now()), $1, $2, '{send.bounced}', now() - interval '10 days', now(),
        first_id_at(now() - interval '5 days'), 400, now() + interval '1 hour'`,
    values: [person.accountId, endpointId],
  });
  const page = await ui.newPage({ as: person });
  await page.goto(`/webhooks/${endpointId}`);
  await page.getByText(/25\s%, 400\sdeliveries/).waitFor();
  expect(await page.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("25");
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Cancel replay" }).click();
  await page.getByText(/The replay was cancelled after 400\sdeliveries\./).waitFor();
});

test("a rotation shows the new secret once, and counts down how long the earlier one is valid", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const { webhook_id: id } = await aWebhook(person);
  const page = await ui.newPage({ as: person });
  await page.goto(`/webhooks/${id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Rotate secret…" }).click();
  await page.getByLabel("The present secret signs").selectOption("for 1 hour");
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const secret = await page.getByRole("dialog", { name: "The new secret" }).locator("code").first().textContent();
  expect(secret).toMatch(/^whsec_/);
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("The earlier secret ends").waitFor();
  const timer = page.getByRole("timer");
  // In the first second it says "in 1 h".
  await expect.poll(() => timer.textContent(), { timeout: 5_000 }).toMatch(/^in 59\smin \d+\ss$/);
  const first = await timer.textContent();
  await expect.poll(() => timer.textContent(), { timeout: 5_000 }).not.toBe(first);
  expect(await page.content()).not.toContain(secret);
});

async function choose(page: Page, name: string) {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name }).click();
}

test("the description and the types of a webhook are changed", async () => {
  const person = await ui.aPerson();
  const { webhook_id: id } = await aWebhook(person);
  const page = await ui.newPage({ as: person });
  await page.goto(`/webhooks/${id}`);
  await choose(page, "Change…");
  await page.getByLabel("Description").fill("order service");
  await page.getByRole("button", { name: "Choose all types" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("order service").waitFor();
  const webhook = await ui.api(person).get<{ types: string[] }>(`/webhooks/${id}`);
  expect(webhook.types).toHaveLength(13);
});

test("a webhook is disabled, enabled and deleted, and what cannot be undone has to be confirmed", async () => {
  const person = await ui.aPerson();
  const { webhook_id: id } = await aWebhook(person);
  const page = await ui.newPage({ as: person });
  await page.goto(`/webhooks/${id}`);
  await choose(page, "Disable…");
  await page.getByRole("button", { name: "Disable webhook" }).click();
  await page.getByText("This webhook is disabled.").waitFor();
  expect(await page.getByRole("button", { name: /Replay|Send a test/ }).count()).toBe(0);
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Enable webhook" }).click();
  await page.getByText("This webhook is enabled.").waitFor();

  await choose(page, "Delete…");
  const remove = page.getByRole("button", { name: "Delete webhook" });
  expect(await remove.isDisabled()).toBe(true);
  await page.getByLabel("Type hooks.example.com to confirm").fill("hooks.example.com");
  await expectNoViolations(page);
  await remove.click();
  await page.getByRole("heading", { name: "No live webhook yet" }).waitFor();
});

test("an unknown webhook and a failure say so, and the page fits a phone", async () => {
  const person = await ui.aPerson();
  const { webhook_id: id } = await aWebhook(person, `https://hooks.example.com/${"a-very-long-path/".repeat(12)}`);
  await aDelivery(ui.db, { accountId: person.accountId, endpointId: id, state: "failed" });
  const page = await ui.newPage({ as: person, width: 390 });
  await page.goto("/webhooks/0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f");
  await page.getByRole("heading", { name: "This account has no webhook with this id" }).waitFor();
  const error = { code: "INTERNAL", message: "The database is busy.", request_id: "req-1" };
  await page.route("**/deliveries?**", (route) => route.fulfill({ status: 500, json: { success: false, error } }));
  await page.goto(`/webhooks/${id}`);
  await page.getByRole("alert").getByText("The database is busy.").waitFor();
  await page.unroute("**/deliveries?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("list", { name: "Deliveries" }).getByText("send.bounced").waitFor();
  await expectNoViolations(page);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});
