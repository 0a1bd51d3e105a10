import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import { useConsole } from "../../../test/use-console.ts";
import { aWebhookServer } from "../../../test/webhook-server.ts";

const ui = useConsole();
const run = promisify(execFile);

async function aTestedWebhook(role: "developer" | "viewer", status: number) {
  const person = await ui.aPerson({ role });
  const server = await aWebhookServer(ui.db, person.accountId);
  onTestFinished(() => server.close());
  server.answer(status);
  const api = ui.api(person.owner);
  const webhook = await api.post<{ webhook_id: string; secret: string }>("/webhooks", {
    url: server.url,
    types: ["send.bounced"],
  });
  const { delivery_id } = await api.post<{ delivery_id: string }>(`/webhooks/${webhook.webhook_id}/test`, {
    type: "send.bounced",
  });
  await expect.poll(() => server.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  return { person, server, secret: webhook.secret, path: `/webhooks/${webhook.webhook_id}/deliveries/${delivery_id}` };
}

test("a failed attempt shows the request as sent, the failure in words and the next attempt", async () => {
  const { person, server, path } = await aTestedWebhook("developer", 503);
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  await page.getByText(/^\d+\sattempts? failed\. The next one is/).waitFor();
  await page.getByText("The endpoint answered 503.").first().waitFor();
  await page.getByRole("heading", { name: "Answer 503" }).waitFor();
  const request = await page.getByText("POST /hooks HTTP/1.1").textContent();
  const [first] = server.received;
  for (const name of ["webhook-id", "content-type", "user-agent", "host", "content-length", "connection"])
    expect(request).toContain(`${name}: ${first?.headers[name]}`);
  expect(request).toMatch(/webhook-signature: v1,\S{44}/);
  await page.getByText("As sent", { exact: true }).click();
  expect(await page.getByRole("region", { name: "Body" }).locator("code").textContent()).toBe(first?.body);
  await expectNoViolations(page);
});

test("a replay sends the same body again and shows its own delivery", async () => {
  const { person, server, path } = await aTestedWebhook("developer", 503);
  const [first] = server.received;
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  server.answer(200);
  await page.getByRole("button", { name: "Replay" }).press("Enter");
  await page.getByText("The endpoint accepted it.").waitFor({ timeout: 30_000 });
  await page.getByText("a replay").or(page.getByText("an example")).first().waitFor();
  expect(new URL(page.url()).pathname).not.toBe(path);
  expect(server.received.at(-1)?.body).toBe(first?.body);
});

test("the signed curl, pasted into a shell, repeats the request with a valid signature", async () => {
  const { person, server, secret, path } = await aTestedWebhook("developer", 200);
  const page = await ui.newPage({ as: person });
  await page.goto(path);
  await page.getByRole("button", { name: "Signed curl" }).click();
  const dialog = page.getByRole("dialog", { name: "Repeat this request from your machine" });
  await dialog.getByText(/Receivers refuse the signature in \d+\smin/).waitFor();
  await expectNoViolations(page);
  await dialog.getByRole("button", { name: "Copy curl command" }).click();
  await dialog.getByText("Copied curl command").waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).not.toContain(secret);
  const before = server.received.length;
  const { stdout } = await run("bash", ["-c", command], { timeout: 10_000 });
  expect(stdout).toContain("thank you");
  const [first] = server.received;
  const repeated = server.received[before];
  expect(repeated?.body).toBe(first?.body);
  expect(repeated?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(new Webhook(secret).verify(repeated?.body ?? "", repeated?.headers ?? {})).toMatchObject({
    type: "send.bounced",
  });
});

test("a viewer sees the request without its signature, and no actions, also on a phone", async () => {
  const { person, path, secret } = await aTestedWebhook("viewer", 500);
  const page = await ui.newPage({ as: person, width: 390 });
  await page.goto(path);
  await page.getByText("POST /hooks HTTP/1.1").waitFor();
  expect(await page.content()).not.toMatch(/webhook-signature/);
  expect(await page.content()).not.toContain(secret);
  expect(await page.getByRole("button", { name: /Replay|Signed curl/ }).count()).toBe(0);
  await expectNoViolations(page);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});

test("a delivery that does not exist says so, and a failure can be repeated", async () => {
  const { person, path } = await aTestedWebhook("developer", 200);
  const page = await ui.newPage({ as: person });
  await page.goto(path.replace(/[^/]+$/, "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f"));
  await page.getByRole("heading", { name: "This webhook has no delivery with this id" }).waitFor();
  const error = { code: "INTERNAL", message: "The database is busy.", request_id: "req-1" };
  await page.route("**/api/v1/webhooks/**", (route) => route.fulfill({ status: 500, json: { success: false, error } }));
  await page.goto(path);
  await page.getByRole("alert").getByText("The database is busy.").waitFor();
  await page.unroute("**/api/v1/webhooks/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The endpoint accepted it.").waitFor();
});
