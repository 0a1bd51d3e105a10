import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import { useConsole } from "../../../test/use-console.ts";
import { aWebhookServer } from "../../../test/webhook-server.ts";

const ui = useConsole();

test("a developer creates a webhook by keyboard, and sees its secret once", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const page = await ui.newPage({ as: person });
  await page.goto("/webhooks");
  await page.getByRole("heading", { name: "No live webhook yet" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Create webhook" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create a live webhook" });
  await dialog.getByLabel("URL").fill("https://hooks.example.com/in");
  await expectNoViolations(page);
  await dialog.getByLabel("domain.verified").check();
  await dialog.getByLabel("URL").press("Enter");
  const shown = page.getByRole("dialog", { name: "The secret of the new webhook" });
  const secret = (await shown.locator("code").first().textContent()) ?? "";
  expect(secret).toMatch(/^whsec_/);
  await shown.getByRole("button", { name: "Done" }).press("Enter");

  await page.getByText("This webhook is enabled.").waitFor();
  await page.getByTitle("a domain is verified").waitFor();
  expect(await page.content()).not.toContain(secret);
});

test("a test of a chosen type is signed with the secret, and the dialog shows the answer", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const server = await aWebhookServer(ui.db, person.accountId);
  onTestFinished(() => server.close());
  const { webhook_id: id, secret } = await ui
    .api(person.owner)
    .post<{ webhook_id: string; secret: string }>("/webhooks", { url: server.url, types: ["send.sent"] });
  const page = await ui.newPage({ as: person });
  await page.goto(`/webhooks/${id}`);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByLabel("Type", { exact: true }).last().selectOption("domain.verified");
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByRole("dialog").getByText("The endpoint answered 200.").waitFor();
  await expectNoViolations(page);
  const [notification] = server.received;
  expect(new Webhook(secret).verify(notification?.body ?? "", notification?.headers ?? {})).toMatchObject({
    type: "domain.verified",
    data: { test: true },
  });
});

test("the list says first what fails, with success rate, p95 and failing since", async () => {
  const person = await ui.aPerson();
  const api = ui.api(person);
  const make = (url: string) => api.post<{ webhook_id: string }>("/webhooks", { url, types: ["send.bounced"] });
  const { webhook_id: id } = await make("https://failing.example.com/hooks");
  await make("https://working.example.com/hooks");
  await ui.db.query({
    name: "make-webhook-fail",
    text: `
      with failing as (
        update webhook_endpoints set failing_since = now() - interval '3 hours' where id = $1
      )
      insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, state, finished_at, duration_ms)
      select new_id_at(now() - n * interval '1 minute'), $2, $1, new_id_at(now()), new_id_at(now()), 'send.bounced',
        case when n <= 2 then 'failed' else 'delivered' end, now(), case when n > 2 then 180 end
      from generate_series(1, 8) as n`,
    values: [id, person.accountId],
  });
  const page = await ui.newPage({ as: person });
  await page.goto("/webhooks");
  await page.getByText("failing.example.com does not accept notifications.").waitFor();
  const row = page.getByRole("row", { name: /failing\.example\.com/ });
  expect(await row.textContent()).toMatch(/Failing.*6 of 8.*180\sms.*3\sh ago/);
  await page.getByRole("row", { name: /working.*no deliveries.*not failing/ }).waitFor();
  await expectNoViolations(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByText("This webhook does not accept notifications.").waitFor();
  await expectNoViolations(page);
});

test("a URL that the API refuses is explained at the field, and a failed request can be repeated", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person, width: 390 });
  const error = { code: "INTERNAL", message: "The database is busy.", request_id: "req-1" };
  await page.route("**/api/v1/webhooks?**", (route) => route.fulfill({ status: 500, json: { success: false, error } }));
  await page.goto("/webhooks");
  await page.getByRole("alert").getByText("The database is busy.").waitFor();
  await page.unroute("**/api/v1/webhooks?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Create webhook" }).last().click();
  await page.getByLabel("URL").fill("ftp://example.com/");
  await page.getByLabel("URL").press("Enter");
  await page.getByText("The URL must begin with https://.").waitFor();
  await expectNoViolations(page);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});

test("a viewer sees webhooks and no way to change them", async () => {
  const viewer = await ui.aPerson({ role: "viewer" });
  const { secret } = await ui
    .api(viewer.owner)
    .post<{ secret: string }>("/webhooks", { url: "https://hooks.example.com/a", types: ["send.bounced"] });
  const page = await ui.newPage({ as: viewer, width: 390 });
  await page.goto("/webhooks");
  await page.getByRole("link", { name: /hooks\.example\.com/ }).click();
  await page.getByText("This webhook is enabled.").waitFor();
  await expectNoViolations(page);
  expect(await page.getByRole("button", { name: /Create|Test|Replay|More actions|Enable|Disable/ }).count()).toBe(0);
  expect(await page.content()).not.toContain(secret);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});
