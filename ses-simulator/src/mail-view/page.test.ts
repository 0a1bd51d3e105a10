import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Attachment, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { aFeedbackPath, aMail } from "../../test/builders.ts";
import { useSimulator } from "../../test/use-simulator.ts";
import type { OtherMails } from "./other-mails.ts";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const testMail = {
  id: "test-mail",
  acceptedAt: "2026-01-05T10:00:00.000Z",
  from: "Acme <hello@sandbox.test>",
  destination: { to: ["bounced@sandbox.test"], cc: [], bcc: [] },
  replyTo: [],
  subject: "A test mail",
  tags: {},
  events: [
    {
      type: "Bounce" as const,
      recipients: ["bounced@sandbox.test"],
      bounceType: "Permanent",
      bounceSubType: "General",
    },
  ],
  text: "Only for you",
};
const otherMails: OtherMails = {
  label: "test",
  note: "It never left.",
  list: async ({ before, words }) => (before === undefined && words.length === 0 && hasTestMail ? [testMail] : []),
  find: async (id) => (id === testMail.id ? testMail : undefined),
};
let hasTestMail = false;
const running = useSimulator({ otherMails });

async function send(html: string, changes = {}): Promise<string> {
  const Simple = { Subject: { Data: "<b>Order</b>" }, Body: { Html: { Data: html }, Text: { Data: "As text" } } };
  return (await running.ses.send(new SendEmailCommand(aMail({ Content: { Simple }, ...changes })))).MessageId ?? "";
}

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function sendWithParts(html: string, changes = {}): Promise<string> {
  const BASE64 = { RawContent: png, ContentTransferEncoding: "BASE64" as const };
  const Attachments: Attachment[] = [
    { ...BASE64, FileName: "Rechnung «7».pdf", ContentType: "application/pdf" },
    { ...BASE64, FileName: "logo.png", ContentType: "image/png", ContentDisposition: "INLINE", ContentId: "logo@shop" },
    { FileName: "page.html", RawContent: Buffer.from("<p>x</p>"), ContentType: "text/html", ContentId: "page" },
  ];
  const Body = { Html: { Data: html }, Text: { Data: "As text" } };
  const Headers = [{ Name: "X-Order", Value: "<i>42</i>" }];
  const Content = { Simple: { Subject: { Data: "With parts" }, Body, Headers, Attachments } };
  const mail = aMail({ Content, ...changes });
  return (await running.ses.send(new SendEmailCommand(mail))).MessageId ?? "";
}

describe.skipIf(!existsSync(executablePath))("the mail view in Chromium", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking"] });
  });

  afterAll(() => browser.close());

  async function openPage(path = "", width = 1280, colorScheme: "light" | "dark" = "light") {
    const context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme });
    const page = await context.newPage();
    await page.goto(`${running.url}/${path}`);
    return { context, page };
  }

  test("the page shows how to send a mail while there is none, and then shows the first one without a reload", async () => {
    const { page } = await openPage();
    await page.getByRole("heading", { name: "No mail yet" }).waitFor();
    expect(await page.textContent("pre")).toContain(`AWS_ENDPOINT_URL_SESV2=${running.url}`);
    await send("<p>Hello</p>");
    await page.getByRole("link", { name: /Order/ }).click();
    await page.frameLocator("iframe").getByText("Hello").waitFor();
    expect(await page.textContent("h2")).toBe("<b>Order</b>");
  });

  test("the arrow keys select the text and raw tabs", async () => {
    const { page } = await openPage(`#${await send("<p>Hello</p>")}`);
    await page.getByRole("tab", { name: "HTML" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.textContent("#panel")).toBe("As text");
    await page.keyboard.press("ArrowRight");
    expect(await page.textContent("#panel")).toContain("MIME-Version: 1.0");
  });

  test("the bounce button publishes a bounce to the topic of the mail", async () => {
    const path = await aFeedbackPath(running);
    const messageId = await send("<p>Hello</p>", { ConfigurationSetName: path.setName });
    await path.next(2);
    const { page } = await openPage(`#${messageId}`);
    await page.getByRole("button", { name: "bounce", exact: true }).click();
    await page.getByText("Published Bounce to the topic").waitFor();
    expect((await path.next(1))[0]).toMatchObject({ eventType: "Bounce", mail: { messageId } });
  });

  test("a mail of another source appears in the list with its label, and opens without the buttons of SES", async () => {
    hasTestMail = true;
    const { page } = await openPage();
    const link = page.getByRole("link", { name: /A test mail/ });
    await link.waitFor();
    expect(await link.textContent()).toMatch(/to bounced@sandbox\.testBouncetest$/);
    await link.click();
    await page.getByText("It never left.").waitFor();
    expect(await page.textContent("#panel")).toBe("Only for you");
    expect(await page.getByRole("button", { name: "bounce" }).count()).toBe(0);
  });

  test("the page lists attachments with type and size, and each link downloads its bytes", async () => {
    const { page } = await openPage(`#${await sendWithParts("<p>Hello</p>")}`);
    const links = page.locator(".files a");
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual([
      "Download Rechnung «7».pdfapplication/pdf, 70 bytes",
      "Download logo.pngimage/png, 70 bytes, inline as logo@shop",
      "Download page.htmltext/html, 8 bytes",
    ]);
    const [download] = await Promise.all([page.waitForEvent("download"), links.first().click()]);
    expect(download.suggestedFilename()).toBe("Rechnung «7».pdf");
    expect(readFileSync(await download.path())).toEqual(png);
  });

  test("the HTML shows inline images of the mail by their content id, and nothing else", async () => {
    const html = `<img id="shown" src="cid:logo%40shop"><img id="page" src='cid:page'><img id="none" src="cid:none"><p>cid:logo@shop</p>
      <div id="behind" style="background: url(cid:logo@shop)">Hello</div>`;
    const { page } = await openPage(`#${await sendWithParts(html)}`);
    const frame = page.frameLocator("iframe");
    await frame.getByText("Hello").waitFor();
    await expect.poll(() => frame.locator("#shown").evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(1);
    expect(await frame.locator("#page").getAttribute("src")).toBe("cid:page");
    expect(await frame.locator("#none").getAttribute("src")).toBe("cid:none");
    expect(await frame.locator("p").textContent()).toBe("cid:logo@shop");
    expect(await frame.locator("#behind").getAttribute("style")).toContain("url(data:image/png;base64,");
  });

  test("custom headers have a tab, as text", async () => {
    const { page } = await openPage(`#${await sendWithParts("<p>Hello</p>")}`);
    await page.getByRole("tab", { name: "Headers" }).click();
    expect(await page.textContent("#panel")).toBe("X-Order<i>42</i>");
  });

  test("a large mail shows the start of its MIME and a link to all of it", async () => {
    const { page } = await openPage(`#${await send(`<p>Hello</p>${"x".repeat(300_000)}`)}`);
    await page.getByRole("tab", { name: "Raw" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download the whole mail" }).click(),
    ]);
    expect(readFileSync(await download.path()).length).toBeGreaterThan(300_000);
    expect((await page.textContent("#panel pre"))?.length).toBe(200_000);
  });

  test("the search selects mails by sender, recipient and subject, and says when there is none", async () => {
    const Simple = { Subject: { Data: "A needle" }, Body: { Text: { Data: "t" } } };
    await running.ses.send(new SendEmailCommand(aMail({ Content: { Simple } })));
    const { page } = await openPage();
    await page.locator("#list a").nth(2).waitFor();
    await page.getByRole("searchbox").fill("needle customer@");
    await expect.poll(() => page.locator("#list .subject").allTextContents()).toEqual(["A needle"]);
    await page.getByRole("searchbox").fill("needle nobody@");
    await page.getByText("No mail matches. The search reads the newest 4,000 mails.").waitFor();
    expect(await page.locator("#list a").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.locator("#list a").nth(2).waitFor();
  });

  test("a hostile mail runs no script and fetches nothing", async () => {
    // The test needs a real server: the browser also reports requests that its policy then blocks.
    const fetched: string[] = [];
    const recorder = createServer((request, response) => {
      fetched.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => recorder.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void recorder.close());
    const { port } = recorder.address() as AddressInfo; // A listening TCP server has no other kind of address.
    const recorderUrl = `http://127.0.0.1:${port}`;
    const hostile = `<script>top.document.title = "owned"</script>
      <img src="${recorderUrl}/image.png" onerror="top.document.title='owned'"><link rel="stylesheet" href="${recorderUrl}/style.css">
      <p>Looks harmless</p>`;
    const { page } = await openPage(`#${await send(hostile)}`);
    await page.frameLocator("iframe").getByText("Looks harmless").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("SES simulator");
    await fetch(`${recorderUrl}/control`);
    expect(fetched).toEqual(["/control"]);
  });

  const views = [
    { scheme: "light", width: 1280 },
    { scheme: "dark", width: 390 },
  ] as const;

  test.each(views)(
    "the page has no accessibility violation in $scheme mode at $width pixels",
    async ({ scheme, width }) => {
      const Destination = { ToAddresses: ["bounce@simulator.amazonses.com"] };
      const messageId = await sendWithParts("<p>Hello</p>", { Destination });
      for (const path of ["", `#${messageId}`, `#${testMail.id}`]) {
        const { page, context } = await openPage(path, width, scheme);
        await page
          .locator(path === "" ? "#list a" : "[role=tab]")
          .first()
          .waitFor();
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        const { violations } = await new AxeBuilder({ page }).exclude("iframe").analyze();
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
        await context.close();
      }
    },
  );
});
