import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SendEmailCommand } from "@aws-sdk/client-sesv2";
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
  list: async ({ before }) => (before === undefined && hasTestMail ? [testMail] : []),
  find: async (id) => (id === testMail.id ? testMail : undefined),
};
let hasTestMail = false;
const running = useSimulator({ otherMails });

async function send(html: string, changes = {}): Promise<string> {
  const Simple = { Subject: { Data: "<b>Order</b>" }, Body: { Html: { Data: html }, Text: { Data: "As text" } } };
  return (await running.ses.send(new SendEmailCommand(aMail({ Content: { Simple }, ...changes })))).MessageId ?? "";
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
    { scheme: "dark", width: 400 },
  ] as const;

  test.each(views)(
    "the page has no accessibility violation in $scheme mode at $width pixels",
    async ({ scheme, width }) => {
      const messageId = await send("<p>Hello</p>", {
        Destination: { ToAddresses: ["bounce@simulator.amazonses.com"] },
      });
      for (const path of ["", `#${messageId}`, `#${testMail.id}`]) {
        const { page, context } = await openPage(path, width, scheme);
        await page
          .locator(path === "" ? "#list a" : "[role=tab]")
          .first()
          .waitFor();
        const { violations } = await new AxeBuilder({ page }).exclude("iframe").analyze();
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
        await context.close();
      }
    },
  );
});
