import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import { currentCode } from "../../../test/totp-code.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

test("a person changes the password, and the other sessions end", async () => {
  const person = await ui.aPerson({ role: "viewer" });
  const other = await ui.newPage({ as: person });
  await other.goto("/profile");
  await other.getByRole("heading", { name: "Profile" }).waitFor();
  const page = await ui.newPage({ as: person });
  await page.goto("/profile");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("textbox", { name: "Current password" }).fill("not the password");
  await page.getByRole("textbox", { name: "New password" }).fill("another password for tests");
  await page.getByRole("button", { name: "Change password" }).click();
  await page
    .getByRole("alert")
    .getByText(/password/i)
    .first()
    .waitFor();
  await page.getByRole("textbox", { name: "Current password" }).fill(person.password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("The password is changed.").waitFor();
  await other.goto("/activity");
  await other.waitForURL("**/log-in?**");
  await other.getByLabel("Email address").fill(person.email);
  await other.getByRole("textbox", { name: "Password" }).fill("another password for tests");
  await other.getByRole("button", { name: "Log in" }).click();
  await other.waitForURL("**/activity");
});

test("two-factor authentication: set up, log in with a code, and turn it off", async () => {
  const person = await ui.aPerson();
  const page = await ui.newPage({ as: person });
  await page.goto("/profile");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("textbox", { name: "Your password" }).fill(person.password);
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "QR code of the key" }).waitFor();
  await expectNoViolations(page);
  const secret = (await page.getByRole("dialog").locator(".mono").first().textContent()) ?? "";
  await page.getByRole("textbox", { name: "Code", exact: true }).fill(currentCode(secret));
  await page.keyboard.press("Enter");
  const codes = page.getByRole("dialog", { name: "Recovery codes" });
  const recovery = ((await codes.locator("code").textContent()) ?? "").split("\n");
  expect(recovery).toHaveLength(10);
  await codes.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("10 recovery codes left").waitFor();

  const again = await ui.newPage();
  await again.goto("/log-in");
  await again.getByLabel("Email address").fill(person.email);
  await again.getByRole("textbox", { name: "Password" }).fill(person.password);
  await again.keyboard.press("Enter");
  await again.getByLabel("Code of your authenticator app").waitFor();
  await expectNoViolations(again);
  await again.getByRole("button", { name: "Use a recovery code" }).click();
  await again.getByLabel("Recovery code").fill(recovery[0] ?? "");
  await again.keyboard.press("Enter");
  await again.getByRole("heading", { name: "Overview" }).waitFor();

  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("textbox", { name: "Your password" }).fill(person.password);
  await page.getByLabel("Code of the app, or a recovery code").fill(recovery[1] ?? "");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Set up" }).waitFor();
});

test("a session that a person ends is out at its next request", async () => {
  const person = await ui.aPerson();
  const other = await ui.newPage({ as: person });
  await other.goto("/keys");
  await other.getByRole("heading", { name: "API keys" }).waitFor();
  const page = await ui.newPage({ as: person, width: 390 });
  await page.goto("/profile");
  await page
    .getByRole("button", { name: /End the session/ })
    .first()
    .waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "End all others" }).click();
  await page.getByText(/sessions? ha(s|ve) ended/).waitFor();
  await other.getByRole("link", { name: "Usage and limits" }).click();
  await other.waitForURL("**/log-in?**");
});
