import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { executablePath } from "../../test/browser-pages.ts";

/** What the mails of a page did, as the browser reports it. */
export interface Deeds {
  scripts: number;
  requests: number;
  navigations: number;
  windows: number;
  firstProblem: string | undefined;
}

export function openBrowser(canaryPort: number): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      `--host-resolver-rules=MAP *.test 127.0.0.1:${canaryPort}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  });
}

interface FramePage {
  /** The page and the frames; the browser may request nothing else. */
  url: string;
  html: string;
  frames: string[];
  headers?: Record<string, string>;
}

/** How long a mail may take to do harm after it has loaded. */
const waitMs = 700;
const maxLoadMs = 60_000;

/** Opens a page with frames, waits, and counts everything that only a mail can have caused. `then` runs before the page closes. */
export async function watchFrames(
  browser: Browser,
  { url, html, frames, headers = {} }: FramePage,
  then: (page: Page, deeds: Deeds) => Promise<void> = async () => undefined,
): Promise<Deeds> {
  const deeds: Deeds = { scripts: 0, requests: 0, navigations: 0, windows: 0, firstProblem: undefined };
  const count = (kind: "scripts" | "requests" | "navigations" | "windows", what: string) => {
    deeds[kind]++;
    deeds.firstProblem ??= `${kind}: ${what.slice(0, 200)}`;
  };
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const expected = new Set([url, ...frames]);
    await page.route(url, (route) => route.fulfill({ contentType: "text/html", headers, body: html }));
    // The only script of the page: it reports what the frames send to it.
    await page.addInitScript(
      "if (top === self) addEventListener('message', (event) => console.log(String(event.data)))",
    );
    page.on("console", (message) => {
      if (message.text().startsWith("CANARY")) count("scripts", message.text());
    });
    page.on("dialog", (dialog) => {
      count("scripts", `dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    // A request that the policy or the opaque origin of the sandbox blocks never leaves the browser.
    const sent = new Map<string, number>();
    context.on("request", (request) => {
      if (!expected.has(request.url()) && !request.url().startsWith("data:")) add(sent, request.url(), 1);
    });
    context.on("requestfailed", (request) => {
      if (["csp", "origin"].includes(request.failure()?.errorText ?? "")) add(sent, request.url(), -1);
    });
    let arrived = 0;
    page.on("framenavigated", (frame) => {
      const isMain = frame === page.mainFrame();
      if (isMain ? ++arrived > 1 : !isExpectedFrame(frame.url(), expected)) count("navigations", frame.url());
    });
    await page.goto(url, { waitUntil: "load", timeout: maxLoadMs });
    await sleep(waitMs);
    context.on("page", (opened) => count("windows", opened.url()));
    if (context.pages().length > 1) count("windows", "before the page had loaded");
    await then(page, deeds);
    for (const [address, times] of sent) if (times > 0) count("requests", address);
    return deeds;
  } finally {
    await context.close();
  }
}

/** A frame inside of a mail stays empty when the policy blocks it. */
function isExpectedFrame(url: string, expected: Set<string>): boolean {
  return expected.has(url) || url === "about:blank" || url === "about:srcdoc" || url.startsWith("chrome-error:");
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}
