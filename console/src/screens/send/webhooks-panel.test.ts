import { expect, onTestFinished, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import { useConsole } from "../../../test/use-console.ts";
import { aWebhookServer } from "../../../test/webhook-server.ts";

const ui = useConsole();

test("the page of a send shows what webhooks were notified of, and leads to each delivery and back", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const server = await aWebhookServer(ui.db, person.accountId);
  onTestFinished(() => server.close());
  const api = ui.api(person.owner);
  await api.post("/webhooks", { url: server.url, types: ["send.sent", "send.delivered"], mode: "test" });
  const { key } = await api.post<{ key: string }>("/api-keys", { name: "k", type: "test", scopes: ["send"] });
  const mail = { from: "a@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hello", text: "It works." };
  const send = await api.post<{ id: string }>("/send", mail, { "x-api-key": key, authorization: "" });
  const page = await ui.newPage({ as: person });
  await page.goto(`/sends/${send.id}?mode=test`);
  const panel = page.getByRole("region", { name: "Webhooks" });
  await panel.getByRole("link", { name: /Delivered send\.delivered 200 in / }).waitFor({ timeout: 40_000 });
  await panel.getByRole("link", { name: /Delivered send\.sent/ }).waitFor();
  await expectNoViolations(page);
  await panel.getByRole("link", { name: /send\.delivered/ }).click();
  await page.getByText("The endpoint accepted it.").waitFor();
  await page.getByRole("link", { name: "Open the send" }).click();
  await panel.waitFor();
  expect(new URL(page.url()).pathname).toBe(`/sends/${send.id}`);
});

test("the send of an account without webhooks has no such panel", async () => {
  const person = await ui.aPerson();
  const api = ui.api(person);
  const { key } = await api.post<{ key: string }>("/api-keys", { name: "k", type: "test", scopes: ["send"] });
  const mail = { from: "a@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hello", text: "It works." };
  const send = await api.post<{ id: string }>("/send", mail, { "x-api-key": key, authorization: "" });
  const page = await ui.newPage({ as: person });
  const listed = page.waitForResponse((answer) => answer.url().includes("/api/v1/webhooks"));
  await page.goto(`/sends/${send.id}?mode=test`);
  await listed;
  await page.getByRole("region", { name: "Timeline" }).waitFor();
  expect(await page.getByRole("region", { name: "Webhooks" }).count()).toBe(0);
});
