import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

test("a developer makes a key, sees its secret once, and the snippet sends the first mail", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const page = await ui.newPage({ as: person });
  await page.goto("/keys?mode=test");
  await page.getByRole("heading", { name: "This account has no test key" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("web shop");
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Key web shop" });
  const curl = await dialog.getByRole("tabpanel").locator("code").textContent();
  await expectNoViolations(page);
  const [, url = "", key = "", body = ""] =
    /^curl -s (\S+) -H 'X-API-Key: (\S+)' [\s\S]*-d '(.*)'$/.exec(curl ?? "") ?? [];
  const sent = await fetch(url, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body,
  });
  expect(sent.status).toBe(202);
  await dialog.getByRole("tab", { name: ".env" }).click();
  expect(await dialog.getByRole("tabpanel").textContent()).toContain(`POSTERN_API_KEY=${key}`);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("cell", { name: "web shop", exact: true }).waitFor();
  expect(await page.content()).not.toContain(key);
});

test("rolling and revoking say how much the key is used, and do it", async () => {
  const person = await ui.aPerson();
  const { key } = await ui
    .api(person)
    .post<{ key: string }>("/api-keys", { name: "billing", type: "test", scopes: ["send", "read"] });
  const use = () => fetch(`${ui.url}/api/v1/sends`, { headers: { "x-api-key": key } }).then(({ status }) => status);
  expect(await use()).toBe(200);
  const lastUsed = async () =>
    (await ui.api(person).get<{ last_used_at: string | null }[]>("/api-keys"))[0]?.last_used_at;
  await expect.poll(lastUsed, { timeout: 10_000 }).toEqual(expect.any(String));
  const page = await ui.newPage({ as: person });
  await page.goto("/keys?mode=test");
  await page.getByRole("button", { name: "Actions for billing" }).click();
  await page.getByRole("menuitem", { name: "Roll…" }).click();
  const roll = page.getByRole("dialog", { name: "Roll the key billing?" });
  await expect.poll(() => roll.textContent()).toMatch(/Used (just now|.* ago), 0 sends today\./);
  await roll.getByLabel("The present secret works").selectOption("0");
  await roll.getByRole("button", { name: "Roll key" }).click();
  await page.getByText("The secret before has ended.").waitFor();
  expect(await use()).toBe(401);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Actions for billing" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByRole("heading", { name: "This account has no test key" }).waitFor();
  expect(await ui.api(person).get("/api-keys")).toEqual([]);
});

test("a viewer sees the keys and no way to change them", async () => {
  const viewer = await ui.aPerson({ role: "viewer" });
  await ui.api(viewer.owner).post("/api-keys", { name: "web shop", type: "live" });
  const page = await ui.newPage({ as: viewer, width: 390 });
  await page.goto("/keys");
  await page.getByText("web shop").waitFor();
  await expectNoViolations(page);
  expect(await page.getByRole("button", { name: /Create key|Actions for/ }).count()).toBe(0);
});

test("a name that the API refuses is explained at the field", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  await page.getByLabel("Name").fill(" ");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("dialog").textContent()).toMatch(/name|character/i);
  expect(await page.getByRole("dialog").getByRole("button", { name: "Create key" }).isVisible()).toBe(true);
});

test("a failed request is explained and can be repeated", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  await page.route("**/api/v1/api-keys", (route) =>
    route.fulfill({
      status: 403,
      json: { success: false, error: { code: "FORBIDDEN", message: "Not now.", request_id: "req-1", doc_url: "" } },
    }),
  );
  await page.goto("/keys");
  await page.getByText("Not now.").waitFor();
  await expectNoViolations(page);
  await page.unroute("**/api/v1/api-keys");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "This account has no live key" }).waitFor();
});
