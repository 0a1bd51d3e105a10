import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

interface Entry {
  status?: number;
  code?: string | null;
  route?: string;
  details?: { field: string; code: string; message?: string }[];
  requestId?: string;
  mode?: "live" | "test";
  keyId?: string;
}

const wrongAddress = { field: "to[0]", code: "invalid", message: "has no @; give an address such as jane@example.com" };

/** As the API stores them. */
async function log({ accountId }: Person, ...entries: Entry[]): Promise<void> {
  for (const entry of entries) {
    const { status = 422, code = "VALIDATION_ERROR", route = "/api/v1/send", details = [wrongAddress] } = entry;
    await ui.db.query({
      name: "log-for-the-console",
      text: `
        insert into logged_requests (id, account_id, mode, method, route, status, error_code, problems, api_key_id, address, request_id)
        values ($1, $2, $3, 'POST', $4, $5, $6, $7, $8, '203.0.113.9', $9)`,
      values: [
        randomUUIDv7(),
        accountId,
        entry.mode ?? "live",
        route,
        status,
        code,
        details.length === 0 ? null : JSON.stringify(details),
        entry.keyId ?? null,
        entry.requestId ?? randomUUIDv7(),
      ],
    });
  }
}

async function aKey(person: Person, name: string): Promise<string> {
  const { id } = await ui.api(person).post<{ id: string }>("/api-keys", { name, type: "live" });
  return id;
}

test("a person finds by request id why a request was refused, and opens the page of the error", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const requestId = `order-${randomUUIDv7()}`;
  await log(person, { requestId, keyId: await aKey(person, "billing server") }, { status: 404, code: "NOT_FOUND" });
  const page = await ui.newPage({ as: person });
  await page.goto("/requests");
  await page.getByRole("row", { name: /Refused 404/ }).waitFor();
  await expectNoViolations(page);
  await page.keyboard.press("/");
  await page.keyboard.type(requestId);
  await page.keyboard.press("Enter");
  await page.getByText("has no @; give an address such as jane@example.com", { exact: false }).last().waitFor();
  expect(new URL(page.url()).searchParams.get("request_id")).toBe(requestId);
  await page.getByText("203.0.113.9").waitFor();
  await page.getByText("billing server").last().waitFor();
  expect(await page.getByRole("row", { name: /Refused 404/ }).count()).toBe(0);
  const link = page.getByRole("link", { name: /What VALIDATION_ERROR means/ });
  expect(await link.getAttribute("href")).toBe("/errors/VALIDATION_ERROR");
  await expectNoViolations(page);
});

test("filters are in the address of the page, a row opens its detail by keyboard, and the mode counts", async () => {
  const person = await ui.aPerson();
  const keyId = await aKey(person, "shop");
  await log(
    person,
    { keyId },
    { status: 429, code: "RATE_LIMIT_EXCEEDED", details: [] },
    { status: 202, code: null, details: [] },
    { mode: "test", status: 409, code: "CONFLICT", details: [] },
  );
  const page = await ui.newPage({ as: person });
  await page.goto("/requests");
  await page.getByText("3 requests", { exact: true }).waitFor();
  await page.getByRole("combobox", { name: "Status" }).selectOption("Accepted (sample)");
  await page.getByText("1 request", { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("status")).toBe("2xx");
  await page.goto("/requests?error_code=RATE_LIMIT_EXCEEDED");
  await page.getByText("1 request", { exact: true }).waitFor();
  await page.goto(`/requests?api_key_id=${keyId}`);
  await page.getByRole("row", { name: /Refused 422.*shop/ }).waitFor();
  await page
    .getByRole("combobox", { name: "API key" })
    .locator("option:checked", { hasText: "shop" })
    .waitFor({ state: "attached" });
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByText("Request id").waitFor();
  await page.goto("/requests?mode=test");
  await page.getByRole("row", { name: /Refused 409/ }).waitFor();
  await page.getByText("1 request", { exact: true }).waitFor();
  await page.goto("/requests?route=/api/v1/other");
  await page.getByRole("heading", { name: "No request of the last 7 days matches these filters" }).waitFor();
  await page.getByRole("button", { name: "Show all requests" }).click();
  await page.getByText("3 requests", { exact: true }).waitFor();
});

test("an error of the console leads to its request in the log", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  const requestId = randomUUIDv7();
  await log(person, { requestId, status: 403, code: "FORBIDDEN", details: [] });
  const error = { code: "FORBIDDEN", message: "This needs another role.", request_id: requestId };
  await page.route("**/api/v1/suppression?**", (route) =>
    route.fulfill({ status: 403, json: { success: false, error } }),
  );
  await page.goto("/suppressions");
  await page.getByRole("link", { name: "Find it in the request log" }).click();
  await page.waitForURL(`**/requests?request_id=${requestId}`);
  await page.getByText("Role not enough").last().waitFor();
  await page.goto("/requests?request_id=nobody");
  await page.getByRole("heading", { name: "This request is not in the log" }).waitFor();
  await expectNoViolations(page);
});

test("a viewer is not offered the page, and hears who sees it", async () => {
  const viewer = await ui.aPerson({ role: "viewer" });
  const page = await ui.newPage({ as: viewer });
  await page.goto("/requests");
  await page.getByRole("heading", { name: "Developers and owners see the requests" }).waitFor();
  expect(await page.getByRole("link", { name: "Requests" }).count()).toBe(0);
  await expectNoViolations(page);
});

test("without requests the page says so, a failure can be tried again, and the page fits a phone", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person, width: 390 });
  const error = { code: "INTERNAL", message: "The database is busy.", request_id: "req-1" };
  await page.route("**/api/v1/requests?**", (route) => route.fulfill({ status: 500, json: { success: false, error } }));
  await page.goto("/requests");
  await page.getByRole("alert").getByText("The database is busy.").waitFor();
  await page.unroute("**/api/v1/requests?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "No request was refused in the last 7 days" }).waitFor();
  await log(person, { route: "/api/v1/webhooks/:id/deliveries/:delivery_id/replay" });
  await page.reload();
  await page.getByRole("list", { name: "Requests" }).getByRole("link").click();
  await page.getByText("203.0.113.9").waitFor();
  await expectNoViolations(page);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});
