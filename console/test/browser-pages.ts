import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { collectProblems } from "./page-problems.ts";
import type { Person } from "./person.ts";

export interface PageOptions {
  scheme?: "light" | "dark";
  width?: 390 | 1440;
  /** Logged in as this person. */
  as?: Person;
}

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];
const heights = { 390: 844, 1440: 900 };
/** Long, because other tests may use both cores. */
const maxWaitMs = 30_000;

/** The headless shell has no windows to manage: it opens a page in a third of the time. */
const installed = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));
export const executablePath = process.env.CHROMIUM ?? installed ?? "/usr/bin/chromium";

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

export interface OpenPages {
  newPage(options?: PageOptions): Promise<Page>;
  /** What the pages since the last call did wrong. Closes all of them. */
  close(): Promise<string[]>;
}

/** Each page has a browser context of its own, so no cookie or setting passes from one to another. Paths are relative to `url`. */
export function openPages(browser: Browser, url: string): OpenPages {
  let opened: { context: BrowserContext; problems: () => string[] }[] = [];
  return {
    async newPage({ scheme = "light", width = 1440, as } = {}) {
      const context = await browser.newContext({
        baseURL: url,
        colorScheme: scheme,
        viewport: { width, height: heights[width] },
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "Europe/Berlin",
        permissions: ["clipboard-read", "clipboard-write"],
      });
      context.setDefaultTimeout(maxWaitMs);
      opened.push({ context, problems: await collectProblems(context, url) });
      const page = await context.newPage();
      if (as !== undefined) await logIn(page, as, url);
      return page;
    },
    async close() {
      const pages = opened;
      opened = [];
      await Promise.all(pages.map(({ context }) => context.close()));
      return pages.flatMap(({ problems }) => problems());
    },
  };
}

/** Stores the cookie of a browser session, as the log-in page does, without opening that page. */
export async function logIn(page: Page, { email, password }: Person, url: string): Promise<void> {
  const answer = await page.context().request.post(`${url}/api/v1/auth/login`, {
    data: { email, password, browser: true },
    headers: { origin: new URL(url).origin },
  });
  if (!answer.ok()) throw new Error(`the log-in of ${email} answered ${answer.status()}: ${await answer.text()}`);
}
