import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();
const aName = () => `mail-${randomBytes(4).toString("hex")}.fernhill.example`;

test("a new account adds its first domain by keyboard and lands on its records", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const page = await ui.newPage({ as: person });
  const name = aName();
  await page.goto("/domains");
  await page.getByRole("heading", { name: "No domain yet" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Add domain" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Add a domain" }).waitFor();
  await expectNoViolations(page);
  await page.keyboard.type(`https://${name}/`);
  await page.keyboard.press("Enter");
  await page.getByText("The domain must be the bare domain, without http://, path or port.").waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/domains\/\d+$/);
  await page.getByRole("table", { name: "Required records" }).getByText(`_postern-challenge.${name}`).waitFor();
  await page.getByText(`${name} is verified.`).waitFor();
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").click();
  await page.getByRole("row", { name: new RegExp(`Verified.*${name}.*4 of 4`) }).waitFor();
  await expectNoViolations(page);
});

test("the name has to be typed before a domain is removed", async () => {
  const person = await ui.aPerson();
  const name = aName();
  await ui.api(person).post("/domains", { domain_name: name });
  const page = await ui.newPage({ as: person });
  await page.goto("/domains");
  await page.getByRole("button", { name: `Remove ${name}` }).click();
  const dialog = page.getByRole("dialog", { name: "Remove this domain?" });
  const remove = dialog.getByRole("button", { name: "Remove domain" });
  expect(await remove.isDisabled()).toBe(true);
  await expectNoViolations(page);
  await dialog.getByRole("textbox").fill(name);
  await remove.click();
  await page.getByRole("heading", { name: "No domain yet" }).waitFor();
  expect(await ui.api(person).get("/domains")).toEqual([]);
});

test("a viewer sees the domains, also on a phone, and no way to change them", async () => {
  const viewer = await ui.aPerson({ role: "viewer" });
  const name = aName();
  const page = await ui.newPage({ as: viewer, width: 390 });
  await page.goto("/domains");
  await page.getByText("A developer or owner of this account can add one.").waitFor();
  expect(await page.getByRole("button", { name: "Add domain" }).count()).toBe(0);
  await ui.api(viewer.owner).post("/domains", { domain_name: name });
  await page.reload();
  await page.getByText(name).waitFor();
  await expectNoViolations(page);
  expect(await page.getByRole("button", { name: /Add domain|Remove/ }).count()).toBe(0);
});

test("a failure of the API says so, and trying again shows the domains", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  const error = { code: "INTERNAL", message: "The database is busy.", request_id: "req-1" };
  await page.route("**/api/v1/domains", (route) => route.fulfill({ status: 500, json: { success: false, error } }));
  await page.goto("/domains");
  await page.getByRole("alert").getByText("The database is busy.").waitFor();
  await expectNoViolations(page);
  await page.unroute("**/api/v1/domains");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "No domain yet" }).waitFor();
});
