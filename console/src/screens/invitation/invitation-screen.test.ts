import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

test("an invited person chooses a password, logs in and is in the account", async () => {
  const owner = await ui.aPerson({ accountName: "Invited Books" });
  const email = `new-${randomBytes(4).toString("hex")}@example.com`;
  const page = await ui.newPage();
  await page.goto(await anInvitation(owner, email));
  await page.getByRole("heading", { name: "Accept the invitation" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("textbox", { name: "Password" }).fill("a password for tests");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Welcome to Invited Books" }).waitFor();
  await expectNoViolations(page);
  await page.getByRole("link", { name: `Log in as ${email}` }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill("a password for tests");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByText("Invited Books").first().waitFor();
});

test("a person who is logged in joins with one button and is switched to the account", async () => {
  const [owner, person] = [await ui.aPerson({ accountName: "Second Books" }), await ui.aPerson()];
  const page = await ui.newPage({ as: person });
  await page.goto(await anInvitation(owner, person.email));
  await page.getByText(`You are logged in as ${person.email}.`).waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Join as this user" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByText("Second Books").first().waitFor();
});

test("a link that was used, or has lost its token, says so", async () => {
  const [owner, person] = [await ui.aPerson(), await ui.aPerson()];
  const link = await anInvitation(owner, person.email);
  const page = await ui.newPage({ as: person });
  await page.goto("/invitation");
  expect(await page.getByRole("alert").textContent()).toContain("Open the link of the mail again");
  await page.goto(link);
  await page.getByRole("button", { name: "Join as this user" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const again = await ui.newPage({ as: await ui.aPerson() });
  await again.goto(link);
  await again.getByRole("button", { name: "Join as this user" }).click();
  await again.getByRole("alert").waitFor();
});

/** Without a sender for mail, the owner gets the link. Returns its path. */
async function anInvitation(owner: Person, email: string): Promise<string> {
  const { link } = await ui.api(owner).post<{ link: string }>("/invitations", { email, role: "developer" });
  const { pathname, hash } = new URL(link);
  return pathname + hash;
}
