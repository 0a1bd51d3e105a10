import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { expectNoViolations } from "../../../test/expect-no-violations.ts";
import type { Person } from "../../../test/person.ts";
import type { SeededMail } from "../../../test/seed-mail.ts";
import { useConsole } from "../../../test/use-console.ts";

const ui = useConsole();
let owner: Person;
let mail: SeededMail;

beforeAll(async () => {
  owner = await ui.aPerson();
  mail = await ui.seedMail(owner, { modes: ["live"] });
}, 120_000);

function find(subject: string, status?: string) {
  const send = mail.sends.find((each) => each.subject.includes(subject) && (status ?? each.status) === each.status);
  if (send === undefined) throw new Error(`no seeded send is about ${subject}`);
  return { ...send, recipient: send.to[0] ?? "" };
}

async function aSendPage(id: string, as = owner): Promise<Page> {
  const page = await ui.newPage({ as });
  await page.goto(`/sends/${id}`);
  return page;
}

test("one bounced and one delivered: the summary first, then the problem, open", async () => {
  const { id, to } = find("Book club");
  const page = await aSendPage(id);
  await page.getByText(/^Delivered to/).waitFor();
  await expect
    .poll(() => page.getByText(/^Delivered to/).innerText())
    .toMatch(new RegExp(`^Delivered to ${to[1]} after .* ${to[0]} does not exist and is now suppressed\\.$`));
  await page.getByText("Whether it is in the inbox is not known.").first().waitFor();
  const rows = page.getByRole("listitem").getByRole("button", { expanded: true });
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toContain(to[0]);
  await page.getByRole("button", { name: new RegExp(to[1] ?? "") }).click();
  await page.getByText("If the recipient does not find it").waitFor();

  await page.getByRole("button", { name: "Copy answer" }).first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/refused this mail.*SES message id: .*550 5\.1\.1/s);
  await expectNoViolations(page);
});

test("the mail in a frame without scripts, with images when asked, as text and as JSON", async () => {
  const page = await aSendPage(find("48102").id);
  const frame = page.frameLocator("iframe[title='The mail']");
  await frame.getByText("Thank you for buying at Fernhill Books.").waitFor();
  const sandbox = await page.locator("iframe").getAttribute("sandbox");
  expect(sandbox).toBe("allow-popups allow-popups-to-escape-sandbox");
  const first = await page.locator("iframe").getAttribute("src");
  await page.getByRole("button", { name: "Load images" }).click();
  await page.getByText("Remote images are loaded").waitFor();
  await frame.getByText("Thank you for buying").waitFor();
  expect(await page.locator("iframe").getAttribute("src")).not.toBe(first);
  await page.getByRole("radio", { name: "Desktop width" }).check({ force: true });
  await expect.poll(() => page.locator("iframe").evaluate((each) => each.clientWidth)).toBe(720);
  await page.getByRole("tab", { name: "HTML" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("pre").getByText("Thank you for buying at Fernhill Books.").waitFor();
  await page.getByRole("tab", { name: "JSON" }).click();
  await page.locator("pre").getByText('"reply_to": null').waitFor();
});

test("send again makes one new send and opens it", async () => {
  const { id } = find("48103");
  const page = await aSendPage(id);
  await page.getByRole("button", { name: "Send again" }).click();
  const dialog = page.getByRole("dialog", { name: "Send this mail again?" });
  await dialog.getByText("second copy").waitFor();
  await expectNoViolations(page);
  await dialog.getByRole("button", { name: "Send again" }).dblclick();
  await page.waitForURL((url) => url.pathname.startsWith("/sends/") && !url.pathname.endsWith(id));
  await page.getByRole("heading", { level: 1, name: "Order 48103 has shipped" }).waitFor();
  await page.getByText(/^Delivered to/).waitFor();
  const { data } = await ui.api(owner).get<{ data: { sends: { subject: string }[] } }>("/sends?limit=100&mode=live");
  expect(data.sends.filter(({ subject }) => subject === "Order 48103 has shipped")).toHaveLength(2);
  // With the tags and metadata of the first one; a tag leads to the sends that have it.
  await page.getByText('{"order":48103}').waitFor();
  await page.getByRole("link", { name: "shipping" }).click();
  await page.waitForURL((url) => url.pathname === "/activity" && url.searchParams.get("tag") === "shipping");
  await expect.poll(() => page.getByText("Order 48103 has shipped").count()).toBe(2);
  expect(await page.getByText("Your receipt for order 48102").count()).toBe(0);
});

test("a queued send is cancelled after a question, and the answer of the API is shown when a worker was faster", async () => {
  const { id } = find("48102");
  const page = await ui.newPage({ as: owner });
  await page.route("**/api/v1/send/*/status*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), status: "queued", sent_at: null } });
  });
  await page.goto(`/sends/${id}`);
  await page.getByRole("button", { name: "Cancel mail" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this mail?" });
  await expectNoViolations(page);
  await dialog.getByRole("button", { name: "Cancel mail" }).click();
  await dialog.getByText(/^The provider accepted this send at/).waitFor();
  await page.route("**/cancel*", (route) => route.fulfill({ status: 200, json: {} }));
  await page.unroute("**/api/v1/send/*/status*");
  await dialog.getByRole("button", { name: "Cancel mail" }).click();
  await page.getByText("The mail was cancelled.").waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Cancel mail" }).count()).toBe(0);
});

/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const files = [
  { filename: "Rechnung «48102».pdf", content_type: "application/pdf", content: "JVBERi0xLjcK" },
  { filename: "logo.png", content_type: "image/png", content_id: "logo@fernhill", content: png },
];

async function aSendWithFiles(): Promise<string> {
  const body = {
    from: "Fernhill Books <orders@sandbox.test>",
    to: ["delivered@sandbox.test"],
    subject: "Your invoice",
    html: '<p>Your invoice is attached.</p><img id="logo" src="cid:logo@fernhill">',
    attachments: files,
  };
  return (await ui.api(owner).post<{ id: string }>("/send?mode=test", body)).id;
}

test("attachments are listed and downloaded, images of the mail are shown, and a failed download says so", async () => {
  const id = await aSendWithFiles();
  const page = await aSendPage(id);
  const list = page.getByRole("region", { name: "Attachments" });
  await list.getByText("application/pdf, 9\u00a0B", { exact: true }).waitFor();
  await list.getByText("image/png, 70\u00a0B, inline as logo@fernhill", { exact: true }).waitFor();
  const logo = page.frameLocator("iframe[title='The mail']").locator("#logo");
  await expect.poll(() => logo.evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(1);
  await expectNoViolations(page);

  const button = list.getByRole("button", { name: "Download Rechnung «48102».pdf" });
  await button.focus();
  const saved = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  const file = await saved;
  expect(file.suggestedFilename()).toBe("Rechnung «48102».pdf");
  let text = "";
  for await (const chunk of await file.createReadStream()) text += String(chunk);
  expect(text).toBe("%PDF-1.7\n");

  const error = { code: "CONTENT_NOT_KEPT", message: "The content of this send is no longer kept.", request_id: "r-1" };
  await page.route("**/attachments/0*", (route) => route.fulfill({ status: 410, json: { success: false, error } }));
  await button.click();
  await list.getByRole("alert").getByText("The content is not kept", { exact: true }).waitFor();
  await page.getByRole("tab", { name: "Text" }).click();
  await list.getByText("Rechnung «48102».pdf").waitFor();
});

test("at 390 px the attachments fit the page", async () => {
  const page = await ui.newPage({ as: owner, width: 390 });
  await page.goto(`/sends/${await aSendWithFiles()}`);
  await page.getByRole("radio", { name: "Mail" }).check({ force: true });
  await page.getByRole("button", { name: "Download logo.png" }).waitFor();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await expectNoViolations(page);
});

test("send again keeps the attachments", async () => {
  const id = await aSendWithFiles();
  const page = await aSendPage(id);
  await page.getByRole("button", { name: "Send again" }).click();
  const dialog = page.getByRole("dialog", { name: "Send this mail again?" });
  await dialog.getByText("2\u00a0attachments (79\u00a0B)").waitFor();
  await dialog.getByRole("button", { name: "Send again" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/sends/") && !url.pathname.endsWith(id));
  const again = new URL(page.url()).pathname.split("/").at(-1);
  const contentOf = (send = "") => ui.api(owner).get<{ attachments: { url: string }[] }>(`/send/${send}/content`);
  const withoutUrl = ({ attachments }: { attachments: { url: string }[] }) =>
    attachments.map((attachment) => ({ ...attachment, url: undefined }));
  expect(withoutUrl(await contentOf(again))).toEqual(withoutUrl(await contentOf(id)));
});

test("an open send follows its state, and its frame stays", { timeout: 40_000 }, async () => {
  const { id } = find("48105");
  const page = await aSendPage(id);
  await page
    .getByText(/SES retries until/)
    .first()
    .waitFor();
  await page.getByText("Gives up", { exact: true }).waitFor();
  const frame = page.frameLocator("iframe[title='The mail']");
  await frame.getByText("Thank you for buying").waitFor();
  const polls = page.waitForResponse((response) => response.url().includes("/timeline"));
  await polls;
  await page.waitForResponse((response) => response.url().includes("/timeline"));
  expect(await frame.getByText("Thank you for buying").count()).toBe(1);
});

test("a complaint, a suppression and a failure say so", async () => {
  const page = await aSendPage(find("New arrivals").id);
  await page.getByText(/reported it as spam and is now suppressed\.$/).waitFor();
  await page.goto(`/sends/${find("Reset your password", "suppressed").id}`);
  await page.getByText(/was suppressed before and got nothing\.$/).waitFor();
  await page.getByText("The content is not kept", { exact: true }).waitFor();
  await page.goto(`/sends/${find("Catalogue proof").id}`);
  await page.getByText(/^Not sent\. SES refused the mail/).waitFor();
  await page.getByText("PROVIDER_REJECTED").waitFor();
});

test("a suppression is lifted where its bounce is shown", async () => {
  const page = await aSendPage(find("Reset your password", "bounced").id);
  await page.getByRole("button", { name: "Lift suppression" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Lift suppression" }).click();
  await page.getByText(/the address is not suppressed any more\.$/).waitFor();
  await page.getByText("Later mail goes to it.").waitFor();
});

test("a viewer sees what happened, not what the mail says", async () => {
  const viewer = await ui.aPerson({ role: "viewer", colleagueOf: owner });
  const page = await aSendPage(find("Book club").id, viewer);
  await page.getByText("Your role does not see the content of mail").waitFor();
  expect(await page.getByRole("tab").count()).toBe(0);
  expect(await page.getByRole("button", { name: /Send again|Cancel mail|Lift suppression/ }).count()).toBe(0);
  await expectNoViolations(page);
});

test("CONTENT_VIEW=off is explained, and an error of the API can be tried again", async () => {
  const { id } = find("48102");
  const page = await ui.newPage({ as: owner });
  const message = "This installation does not show the content of mails: its operator has set CONTENT_VIEW=off.";
  const error = (code: string, text: string) => ({ success: false, error: { code, message: text, request_id: "r-1" } });
  await page.route("**/content/view", (route) => route.fulfill({ status: 403, json: error("FORBIDDEN", message) }));
  await page.route("**/timeline", (route) => route.fulfill({ status: 400, json: error("BAD_REQUEST", "Broken.") }));
  await page.goto(`/sends/${id}`);
  await page.getByText("Broken.").waitFor();
  await page.unroute("**/timeline");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The content is not shown").waitFor();
  await page.getByText(message).waitFor();
});

test("a send of another account, an unknown id and an SES id lead further", async () => {
  const stranger = await ui.aPerson({ accountName: "Other Shop" });
  const page = await aSendPage(find("48102").id, stranger);
  await page.getByRole("heading", { name: "Other Shop has no send with this id" }).waitFor();
  await expectNoViolations(page);
  await page.goto("/sends/0102019a8c41e7b2-6d0f41c7");
  await page.getByRole("link", { name: "Search it as an SES id" }).click();
  await expect.poll(() => page.url()).toContain("/activity?provider_message_id=0102019a8c41e7b2-6d0f41c7");
});

test("at 390 px the sections are tabs, and nothing is wider than the page", async () => {
  const page = await ui.newPage({ as: owner, width: 390 });
  await page.goto(`/sends/${find("Book club").id}`);
  await page.getByText(/^Delivered to/).waitFor();
  for (const name of ["Timeline", "Mail", "Details", "Recipients"]) {
    await page.getByRole("radio", { name }).check({ force: true });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  }
});
