import { randomBytes, randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();
/** All accounts of the cell share the list of SES. */
const anAddress = (name: string) => `${name}@whitaker-${randomBytes(4).toString("hex")}.example`;

interface Entry {
  email: string;
  reason?: "hard_bounce" | "complaint" | "manual";
  mode?: "live" | "test";
  sendId?: string;
}

/** As the worker stores them after a bounce or complaint. */
async function suppress({ accountId }: Person, ...entries: Entry[]): Promise<void> {
  for (const { email, reason = "hard_bounce", mode = "live", sendId = null } of entries) {
    await ui.db.query({
      name: "suppress-for-the-console",
      text: `
        insert into suppressions (id, account_id, mode, email, reason, send_id, reported_reason)
        values ($1, $2, $3, $4, $5, $6, nullif($5, 'manual'))`,
      values: [randomUUIDv7(), accountId, mode, email, reason, sendId],
    });
  }
}

test("a hard bounce is lifted by keyboard, and the page says that SES removed it too", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const [jane, sendId] = [anAddress("jane"), randomUUIDv7()];
  await suppress(person, { email: jane, sendId });
  const page = await ui.newPage({ as: person });
  await page.goto("/suppressions");
  const row = page.getByRole("row", { name: new RegExp(`Hard bounce.*${jane}`) });
  expect(await row.getByRole("link", { name: "Open the send" }).getAttribute("href")).toBe(`/sends/${sendId}`);
  await expectNoViolations(page);
  await row.getByRole("button", { name: `Lift the suppression of ${jane}` }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Lift the suppression?" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Lift suppression" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(new RegExp(`${jane} was removed on .* by ${person.email}`)).waitFor();
  // A job of the worker asks SES.
  await page.getByText(/SES removed it too, at \d\d:\d\d\./).waitFor({ timeout: 30_000 });
  await page.getByRole("heading", { name: "No address is suppressed" }).waitFor();
  await expectNoViolations(page);
});

test("the address has to be typed to lift a complaint", async () => {
  const person = await ui.aPerson();
  const kate = anAddress("kate");
  await suppress(person, { email: kate, reason: "complaint" });
  const page = await ui.newPage({ as: person });
  await page.goto(`/suppressions?email=${encodeURIComponent(kate.toUpperCase())}`);
  await page.getByRole("row", { name: new RegExp(`Complaint.*${kate}`) }).waitFor();
  await page.getByRole("button", { name: `Lift the suppression of ${kate}` }).click();
  const lift = page.getByRole("button", { name: "Lift suppression", exact: true });
  expect(await lift.isDisabled()).toBe(true);
  await page.getByRole("dialog").getByRole("textbox").fill(kate);
  await lift.click();
  await page.getByRole("heading", { name: /is not suppressed$/ }).waitFor();
  await page.getByText(/SES removed it too|SES has not confirmed/).waitFor();
});

test("an address is looked up exactly, in its mode, and the page says where else to look", async () => {
  const person = await ui.aPerson();
  const gone = anAddress("gone");
  await suppress(person, { email: gone, mode: "test" });
  const page = await ui.newPage({ as: person });
  await page.goto("/suppressions");
  await page.getByRole("heading", { name: "No address is suppressed" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(gone);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `${gone} is not suppressed` }).waitFor();
  expect(new URL(page.url()).searchParams.get("email")).toBe(gone);
  await expectNoViolations(page);
  await page.getByRole("link", { name: "Switch to test" }).click();
  await page.getByRole("row", { name: new RegExp(gone) }).waitFor();
  await page.getByRole("button", { name: `Remove the filter address ${gone}` }).click();
  await page.getByText("1 address").waitFor();
  expect(new URL(page.url()).search).toBe("?mode=test");
});

test("a long list is read page by page, and a viewer lifts nothing", async () => {
  const viewer = await ui.aPerson({ role: "viewer" });
  const addresses = Array.from({ length: 60 }, (_, index) => anAddress(`reader${index}`));
  await suppress(viewer, ...addresses.map((email) => ({ email })));
  const page = await ui.newPage({ as: viewer });
  await page.goto("/suppressions");
  await page.getByText("Newest 50 of 60 addresses").waitFor();
  expect(await page.getByRole("button", { name: /Lift/ }).count()).toBe(0);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("10 older addresses").waitFor();
  await page.getByText(addresses[0] ?? "").waitFor();
  await page.getByRole("button", { name: "Previous page" }).click();
  await page.getByText(addresses[59] ?? "").waitFor();
});

test("an address is added by keyboard with a note, and lifted without asking SES", async () => {
  const person = await ui.aPerson({ role: "developer" });
  const jane = anAddress("jane");
  const page = await ui.newPage({ as: person });
  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Add address" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an address" });
  await dialog.getByRole("textbox", { name: "Address" }).fill("no address");
  await page.keyboard.press("Enter");
  await dialog.getByText(/@/).first().waitFor();
  await dialog.getByRole("textbox", { name: "Address" }).fill(jane.toUpperCase());
  await dialog.getByRole("textbox", { name: "Note" }).fill("Asked by phone");
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  const row = page.getByRole("row", { name: new RegExp(`Added by hand.*${jane}.*Asked by phone`) });
  await row.waitFor();
  await expectNoViolations(page);
  await row.getByRole("button", { name: `Lift the suppression of ${jane}` }).click();
  await page.getByRole("dialog").getByText("was added by hand").waitFor();
  await page.getByRole("button", { name: "Lift suppression", exact: true }).click();
  await page
    .getByText("SES did not report its bounce or complaint, so Postern did not ask SES to remove it.")
    .waitFor();
});

test("a file is previewed, imported and exported again, and the list is filtered by reason", async () => {
  const person = await ui.aPerson();
  const [known, angry, other] = [anAddress("known"), anAddress("angry"), anAddress("other")];
  await suppress(person, { email: known, reason: "complaint" });
  const page = await ui.newPage({ as: person });
  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import suppressions" });
  await expectNoViolations(page);
  const text = `EmailAddress,SuppressionReason\n${angry},SpamComplaint\n${known},ManualSuppression\nbroken,HardBounce\n${other},ManualSuppression\n`;
  await dialog
    .locator("input[type=file]")
    .setInputFiles({ name: "postmark.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await dialog.getByLabel("Exported from").selectOption("Postmark");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText(/^Line 4 /).waitFor();
  await expectNoViolations(page);
  expect(await dialog.locator("dd").allTextContents()).toEqual(["2", "1", "1"]);
  expect(await page.getByRole("row", { name: new RegExp(angry) }).count()).toBe(0);
  await dialog.getByRole("button", { name: "Import 2 addresses" }).click();
  await page.getByRole("row", { name: new RegExp(`Complaint.*${angry}`) }).waitFor();
  await page.getByRole("row", { name: new RegExp(`Complaint.*${known}`) }).waitFor();

  await page.getByRole("combobox", { name: "Reason" }).selectOption("Added by hand");
  await page.getByText("1 address", { exact: true }).waitFor();
  await page.getByRole("row", { name: new RegExp(`Added by hand.*${other}`) }).waitFor();
  expect(new URL(page.url()).searchParams.get("reason")).toBe("manual");
  await expectNoViolations(page);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const file = await (await download).createReadStream();
  let exported = "";
  for await (const chunk of file) exported += String(chunk);
  expect(exported).toMatch(new RegExp(`^\ufeffid,email,reason,.*\r\n[^,]+,${other},manual,`));
  expect(exported.trimEnd().split("\r\n")).toHaveLength(2);

  await page.getByRole("combobox", { name: "Reason" }).selectOption("Hard bounce");
  await page.getByRole("heading", { name: "No address has the reason hard bounce" }).waitFor();
});

test("a viewer exports the list and changes nothing", async () => {
  const viewer = await ui.aPerson({ role: "viewer" });
  await suppress(viewer, { email: anAddress("reader") });
  const page = await ui.newPage({ as: viewer });
  await page.goto("/suppressions");
  await page.getByRole("button", { name: "Export" }).waitFor();
  await page.getByText("1 address", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /Add|Import|Lift/ }).count()).toBe(0);
});

test("a failure says so, and the page fits a phone", async () => {
  const person = await ui.aPerson();
  await suppress(person, { email: anAddress("a.very.long.address.that.does.not.fit.the.width.of.a.phone") });
  const page = await ui.newPage({ as: person, width: 390 });
  const error = { code: "INTERNAL", message: "The database is busy.", request_id: "req-1" };
  await page.route("**/api/v1/suppression?**", (route) =>
    route.fulfill({ status: 500, json: { success: false, error } }),
  );
  await page.goto("/suppressions");
  await page.getByRole("alert").getByText("The database is busy.").waitFor();
  await page.unroute("**/api/v1/suppression?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Lift suppression" }).waitFor();
  await expectNoViolations(page);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});
