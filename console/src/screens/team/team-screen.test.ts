import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import { currentCode } from "../../../test/totp-code.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();

const anAddress = () => `new-${randomBytes(4).toString("hex")}@example.com`;
const rolesOf = async (owner: Person) =>
  Object.fromEntries(
    (await ui.api(owner).get<{ email: string; role: string }[]>("/members")).map(({ email, role }) => [email, role]),
  );

test("an owner invites by keyboard, and sees the link once", async () => {
  const owner = await ui.aPerson();
  const jane = anAddress();
  const page = await ui.newPage({ as: owner });
  await page.goto("/team");
  await page.getByText("You are the only member. No invitation is open.").waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Invite member" }).click();
  const form = page.getByRole("dialog", { name: "Invite a member" });
  await form.getByLabel("Email address").fill("no address");
  await page.keyboard.press("Enter");
  await form.getByText("must be an email address").waitFor();
  await form.getByLabel("Email address").fill(jane);
  await form.getByRole("radio", { name: "viewer" }).check();
  await expectNoViolations(page);
  await form.getByLabel("Email address").focus();
  await page.keyboard.press("Enter");
  const result = page.getByRole("dialog", { name: `${jane} is invited` });
  const first = (await result.locator("code").textContent()) ?? "";
  expect(first).toMatch(/\/invitation#token=/);
  await expectNoViolations(page);
  await result.getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first);
  await result.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row", { name: new RegExp(`Invited.*${jane}.*viewer.*${owner.email}`) });
  await row.waitFor();
  expect(await page.content()).not.toContain(first);
});

test("an invitation gets a new link, and is withdrawn", async () => {
  const owner = await ui.aPerson();
  const jane = anAddress();
  const { link } = await ui.api(owner).post<{ link: string }>("/invitations", { email: jane, role: "viewer" });
  const page = await ui.newPage({ as: owner });
  await page.goto("/team");
  const menu = page.getByRole("button", { name: `Actions for the invitation of ${jane}` });
  await menu.click();
  await page.getByRole("menuitem", { name: "Send again…" }).click();
  await page.getByRole("button", { name: "Make a new link" }).click();
  const result = page.getByRole("dialog", { name: `${jane} is invited` });
  expect(await result.locator("code").textContent()).toMatch(/\/invitation#token=/);
  expect(await result.locator("code").textContent()).not.toBe(link);
  await result.getByRole("button", { name: "Done" }).click();
  await menu.click();
  await page.getByRole("menuitem", { name: "Withdraw…" }).click();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Withdraw invitation" }).click();
  await page.getByRole("heading", { name: "No open invitations" }).waitFor();
  expect(await ui.api(owner).get("/invitations")).toEqual([]);
});

test("an installation that mails the links says so and shows none", async () => {
  const owner = await ui.aPerson();
  const jane = anAddress();
  const page = await ui.newPage({ as: owner });
  await page.route("**/api/v1/invitations", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), mailed: true, link: null } });
  });
  await page.goto("/team");
  await page.getByRole("button", { name: "Invite member" }).click();
  await page.getByLabel("Email address").fill(jane);
  await page.keyboard.press("Enter");
  await page.getByText(`Postern mails the link to ${jane}.`).waitFor();
  expect(await page.getByRole("dialog").locator("code").count()).toBe(0);
});

test("roles change and members go, and each change can be traced", async () => {
  const owner = await ui.aPerson();
  const colleague = await ui.aPerson({ role: "viewer", colleagueOf: owner });
  const page = await ui.newPage({ as: owner });
  await page.goto("/team");
  await page.getByText(/^2.members, 1 of them an owner\./).waitFor();
  const menu = page.getByRole("button", { name: `Actions for ${colleague.email}` });
  await menu.click();
  await page.getByRole("menuitem", { name: "Change role…" }).click();
  const dialog = page.getByRole("dialog", { name: `Change the role of ${colleague.email}?` });
  await dialog.getByRole("radio", { name: "developer" }).check();
  await expectNoViolations(page);
  await dialog.getByRole("button", { name: "Change role" }).click();
  await page.getByRole("row", { name: new RegExp(`${colleague.email}.*developer`) }).waitFor();
  expect(await rolesOf(owner)).toEqual({ [owner.email]: "owner", [colleague.email]: "developer" });

  await menu.click();
  await page.getByRole("menuitem", { name: "Who changed this?" }).click();
  await page.getByText(`changed the role of ${colleague.email} from viewer to developer`).first().waitFor();
  await page.goBack();
  await menu.click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await page.getByRole("dialog").getByText("API keys keep working").waitFor();
  await page.getByRole("button", { name: "Remove member" }).click();
  await page.getByText("You are the only member.").waitFor();
  expect(await rolesOf(owner)).toEqual({ [owner.email]: "owner" });
});

test("the last owner stays, and an owner who steps down reads what is lost", async () => {
  const owner = await ui.aPerson();
  const page = await ui.newPage({ as: owner });
  await page.goto("/team");
  const menu = page.getByRole("button", { name: `Actions for ${owner.email}` });
  await menu.click();
  await page.getByText("An account needs an owner, and you are the only one.").waitFor();
  await expect.poll(() => page.getByRole("menuitem", { name: "Change role…" }).isDisabled()).toBe(true);
  expect(await page.getByRole("menuitem", { name: "Leave the account…" }).isDisabled()).toBe(true);

  await ui.aPerson({ role: "owner", colleagueOf: owner });
  await page.reload();
  await menu.click();
  await page.getByRole("menuitem", { name: "Change role…" }).click();
  await page.getByRole("radio", { name: "developer" }).check();
  await page.getByText("Only another owner can give you the role back.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Change role" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Team" }).count()).toBe(0);
});

test("an owner who leaves is logged out, and a change that the API refuses is explained", async () => {
  const owner = await ui.aPerson();
  const other = await ui.aPerson({ role: "owner", colleagueOf: owner });
  const page = await ui.newPage({ as: owner });
  const error = { code: "FORBIDDEN", message: "This member is an operator of the installation.", request_id: "req-1" };
  await page.route("**/api/v1/members/*", (route) => route.fulfill({ status: 403, json: { success: false, error } }));
  await page.goto("/team");
  await page.getByRole("button", { name: `Actions for ${other.email}` }).click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await page.getByRole("button", { name: "Remove member" }).click();
  await page.getByRole("alert").getByText("This member is an operator of the installation.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.unroute("**/api/v1/members/*");
  await page.getByRole("button", { name: `Actions for ${owner.email}` }).click();
  await page.getByRole("menuitem", { name: "Leave the account…" }).click();
  await page.getByRole("button", { name: "Leave the account", exact: true }).click();
  await page.waitForURL("**/log-in**");
  expect(await rolesOf(other)).toEqual({ [other.email]: "owner" });
});

test("an owner without two-factor authentication is led to set it up before requiring it", async () => {
  const owner = await ui.aPerson();
  const page = await ui.newPage({ as: owner });
  await page.goto("/team");
  await page.getByText("Set up your own first").waitFor();
  expect(await page.getByRole("button", { name: "Require it…" }).count()).toBe(0);
  await expectNoViolations(page);
  await page.getByRole("link", { name: "Open profile" }).click();
  await page.getByRole("button", { name: "Set up" }).waitFor();
});

test("an owner requires two-factor authentication of all members, and ends it with a code", async () => {
  const owner = await ui.aPerson();
  const page = await ui.newPage({ as: owner });
  await page.goto("/profile");
  const recovery = await setUpTotp(page, owner);

  await page.getByRole("link", { name: "Team" }).click();
  await page.getByRole("button", { name: "Require it…" }).click();
  await page.getByRole("dialog").getByText("Members who have none can only set it up").waitFor();
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Require it", exact: true }).click();
  await page.getByRole("button", { name: "Stop requiring it…" }).click();
  const code = page.getByLabel("Code of the app, or a recovery code");
  await code.fill("not-a-code");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await code.fill(recovery);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Require it…" }).waitFor();
  await page.getByRole("region", { name: "Two-factor authentication" }).getByText("Who changed this?").click();
  await page.getByText("ended the requirement of two-factor authentication").first().waitFor();
});

/** Returns a recovery code. */
async function setUpTotp(page: Page, { password }: Person): Promise<string> {
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("textbox", { name: "Your password" }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "QR code of the key" }).waitFor();
  const secret = (await page.getByRole("dialog").locator(".mono").first().textContent()) ?? "";
  await page.getByRole("textbox", { name: "Code", exact: true }).fill(currentCode(secret));
  await page.keyboard.press("Enter");
  const codes = page.getByRole("dialog", { name: "Recovery codes" });
  const [first = ""] = ((await codes.locator("code").textContent()) ?? "").split("\n");
  await codes.getByRole("button", { name: "I have stored them" }).click();
  return first;
}

test.for(["viewer", "developer"] as const)("a %s reads that the team is for owners", async (role) => {
  const person = await ui.aPerson({ role });
  const page = await ui.newPage({ as: person });
  await page.goto("/team");
  await page.getByRole("heading", { name: "Only owners of this account see this page" }).waitFor();
  await page.getByText(`Your role is ${role}.`).waitFor();
  expect(await page.getByRole("link", { name: /^(Team|Audit)$/ }).count()).toBe(0);
  await expectNoViolations(page);
});

test("a failure says so, and the page fits a phone", async () => {
  const owner = await ui.aPerson();
  await ui.aPerson({
    colleagueOf: owner,
    role: "viewer",
    email: `a.very.long.address.that.does.not.fit.${anAddress()}`,
  });
  await ui.api(owner).post("/invitations", { email: `another.very.long.address.${anAddress()}`, role: "developer" });
  const page = await ui.newPage({ as: owner, width: 390 });
  const error = { code: "FORBIDDEN", message: "Not now.", request_id: "req-1" };
  await page.route("**/api/v1/members", (route) => route.fulfill({ status: 403, json: { success: false, error } }));
  await page.goto("/team");
  await page.getByRole("alert").getByText("Not now.").waitFor();
  await page.unroute("**/api/v1/members");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: `Actions for ${owner.email}` }).waitFor();
  await expectNoViolations(page);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
});
