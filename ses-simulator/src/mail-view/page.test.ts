import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { aFeedbackPath, aMail } from "../../test/builders.ts";
import { useSimulator } from "../../test/use-simulator.ts";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const running = useSimulator();

async function send(html: string, changes = {}): Promise<string> {
  const Simple = { Subject: { Data: "<b>Order</b>" }, Body: { Html: { Data: html }, Text: { Data: "As text" } } };
  return (await running.ses.send(new SendEmailCommand(aMail({ Content: { Simple }, ...changes })))).MessageId ?? "";
}

describe.skipIf(!existsSync(executablePath))("the page in Chromium", () => {
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

  test("says what to do while there is no mail, and shows the first one by itself", async () => {
    const { page } = await openPage();
    await page.getByRole("heading", { name: "No mail yet" }).waitFor();
    expect(await page.textContent("pre")).toContain(`AWS_ENDPOINT_URL_SESV2=${running.url}`);
    await send("<p>Hello</p>");
    await page.getByRole("link", { name: /Order/ }).click();
    await page.frameLocator("iframe").getByText("Hello").waitFor();
    expect(await page.textContent("h2")).toBe("<b>Order</b>");
  });

  test("shows text and raw by keyboard", async () => {
    const { page } = await openPage(`#${await send("<p>Hello</p>")}`);
    await page.getByRole("tab", { name: "HTML" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.textContent("#panel")).toBe("As text");
    await page.keyboard.press("ArrowRight");
    expect(await page.textContent("#panel")).toContain("MIME-Version: 1.0");
  });

  test("lets a mail bounce, and its topic hears of it", async () => {
    const path = await aFeedbackPath(running);
    const messageId = await send("<p>Hello</p>", { ConfigurationSetName: path.setName });
    await path.next(2);
    const { page } = await openPage(`#${messageId}`);
    await page.getByRole("button", { name: "bounce", exact: true }).click();
    await page.getByText("Bounce told to the topic").waitFor();
    expect((await path.next(1))[0]).toMatchObject({ eventType: "Bounce", mail: { messageId } });
  });

  test("keeps a hostile mail in its frame: no script runs, nothing is fetched", async () => {
    // A real server, because the browser also tells of requests that its policy then stops.
    const fetched: string[] = [];
    const spy = createServer((request, response) => {
      fetched.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => spy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void spy.close());
    const { port } = spy.address() as AddressInfo; // A listening TCP server has no other kind of address.
    const spyUrl = `http://127.0.0.1:${port}`;
    const hostile = `<script>top.document.title = "owned"</script>
      <img src="${spyUrl}/spy.png" onerror="top.document.title='owned'"><link rel="stylesheet" href="${spyUrl}/spy.css">
      <p>Looks harmless</p>`;
    const { page } = await openPage(`#${await send(hostile)}`);
    await page.frameLocator("iframe").getByText("Looks harmless").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("SES simulator");
    await fetch(`${spyUrl}/control`);
    expect(fetched).toEqual(["/control"]);
  });

  const views = [
    { scheme: "light", width: 1280 },
    { scheme: "dark", width: 400 },
  ] as const;

  test.each(views)("has no accessibility violation in $scheme at $width pixels", async ({ scheme, width }) => {
    const messageId = await send("<p>Hello</p>", { Destination: { ToAddresses: ["bounce@simulator.amazonses.com"] } });
    for (const path of ["", `#${messageId}`]) {
      const { page, context } = await openPage(path, width, scheme);
      await page
        .locator(path === "" ? "#list a" : "[role=tab]")
        .first()
        .waitFor();
      const { violations } = await new AxeBuilder({ page }).exclude("iframe").analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
      await context.close();
    }
  });
});
