import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { openPages } from "../../test/browser-pages.ts";
import type { ConsoleSession } from "../../test/console-session.ts";
import type { HostileAccount } from "./hostile-account.ts";
import { findLayoutFaults } from "./layout-faults.ts";

export interface ScreenDeeds {
  screens: number;
  scripts: number;
  /** CSP refusals, uncaught errors, requests to other hosts. */
  problems: string[];
  layoutFaults: string[];
}

const maxWaitMs = 60_000;
/** How long a text may take to do harm after the screen has loaded. */
const waitMs = 200;

/** Opens every screen that shows a text of the account, on a desktop and on a phone. */
export async function watchConsole(
  { browser, session, progress }: { browser: Browser; session: ConsoleSession; progress: (message: string) => void },
  account: HostileAccount,
  sampleSize: number,
): Promise<ScreenDeeds> {
  const deeds: ScreenDeeds = { screens: 0, scripts: 0, problems: [], layoutFaults: [] };
  const paths = pathsOf(account, sampleSize);
  for (const width of [1440, 390] as const) {
    const pages = openPages(browser, session.url);
    const page = await pages.newPage({ as: account.person, width });
    countScripts(page, deeds);
    for (const path of paths) {
      await page.goto(path, { waitUntil: "networkidle", timeout: maxWaitMs });
      await look(page, `${width} ${path}`, deeds);
      // The next pages of a list.
      for (let turned = 0; turned < 12 && (await openNextPage(page)); turned++)
        await look(page, `${width} ${path} page ${turned + 2}`, deeds);
      progress(
        `${deeds.screens} screens at ${width} px: ${deeds.problems[0] ?? deeds.layoutFaults[0] ?? "nothing happened"}`,
      );
    }
    deeds.problems.push(...(await pages.close()));
  }
  return deeds;
}

function pathsOf({ sendIds, recipients, domainIds, webhookPaths }: HostileAccount, sampleSize: number): string[] {
  // A hash or a text that the router could take for something else is part of the test.
  const address = (recipient: string) => encodeURIComponent(recipient);
  return [
    "/",
    "/activity",
    "/suppressions",
    "/keys",
    "/webhooks",
    "/usage",
    "/team",
    "/audit",
    "/domains",
    "/profile",
    ...domainIds.slice(0, 1).map((id) => `/domains/${id}`),
    ...webhookPaths.slice(0, sampleSize),
    ...sendIds.slice(0, sampleSize).map((id) => `/sends/${id}`),
    ...sendIds.slice(-2).map((id) => `/sends/${id}`),
    ...recipients.slice(0, sampleSize).map((recipient) => `/activity?recipient=${address(recipient)}`),
    ...recipients.slice(0, sampleSize).map((recipient) => `/suppressions?email=${address(recipient)}`),
  ];
}

function countScripts(page: Page, deeds: ScreenDeeds): void {
  page.on("console", (message) => {
    if (message.text().startsWith("CANARY")) deeds.scripts++;
  });
  page.on("dialog", (dialog) => {
    deeds.scripts++;
    void dialog.dismiss();
  });
}

async function look(page: Page, where: string, deeds: ScreenDeeds): Promise<void> {
  await sleep(waitMs);
  deeds.screens++;
  deeds.layoutFaults.push(...(await findLayoutFaults(page)).map((fault) => `${where.slice(0, 80)}: ${fault}`));
}

async function openNextPage(page: Page): Promise<boolean> {
  const next = page.getByRole("button", { name: "Next page" });
  if ((await next.count()) === 0 || !(await next.isEnabled())) return false;
  await next.click();
  await page.waitForLoadState("networkidle", { timeout: maxWaitMs });
  return true;
}

/** The same texts where nothing guards the reader: what they do is seen. */
export async function countUnguarded(browser: Browser, texts: string[]): Promise<number> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const deeds: ScreenDeeds = { screens: 0, scripts: 0, problems: [], layoutFaults: [] };
    countScripts(page, deeds);
    for (const text of texts) {
      await page.setContent(`<p>${text}</p>`, { waitUntil: "commit" }).catch(() => undefined);
      await sleep(waitMs);
    }
    return deeds.scripts;
  } finally {
    await context.close();
  }
}
