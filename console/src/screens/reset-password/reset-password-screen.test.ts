import { expect, test } from "vitest";
import { makeMailedToken } from "../../../../service/src/logins/mailed-token.ts";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

test("the link of the mail sets a new password once, and the person logs in with it", async () => {
  const person = await ui.aPerson();
  const token = await aResetToken(person);
  const page = await ui.newPage();
  await page.goto(`/reset-password#token=${token}`);
  await expectNoViolations(page);
  const field = page.getByRole("textbox", { name: "New password" });
  await field.fill("a new password for tests");
  await page.keyboard.press("Enter");
  await page.getByRole("main").getByRole("status").waitFor();
  await expectNoViolations(page);
  await page.getByRole("link", { name: "Log in" }).click();
  await page.getByLabel("Email address").fill(person.email);
  await page.getByRole("textbox", { name: "Password" }).fill("a new password for tests");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();

  const again = await ui.newPage();
  await again.goto(`/reset-password#token=${token}`);
  await again.getByRole("textbox", { name: "New password" }).fill("another password for tests");
  await again.keyboard.press("Enter");
  await again.getByRole("alert").waitFor();
});

test("an installation that mails no links says who resets the password", async () => {
  const page = await ui.newPage();
  await page.goto("/log-in");
  await page.getByRole("link", { name: "Forgot the password?" }).click();
  await page.getByLabel("Email address").fill("jane@example.com");
  await page.keyboard.press("Enter");
  expect(await page.getByRole("alert").textContent()).toMatch(/operator/i);
  await expectNoViolations(page);
});

/** As a request stores it; `postern dev` has no sender for the mail. */
async function aResetToken(person: Person): Promise<string> {
  const { text, hash } = makeMailedToken();
  await ui.db.query({
    name: "a-password-reset",
    text: "insert into password_resets (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')",
    values: [hash, person.id],
  });
  return text;
}
