import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { aDevFolder, startDev } from "../../service/test/dev-run.ts";
import { posternPath } from "../../service/test/spawn-postern.ts";
import { terminalPage } from "./terminal-page.ts";

/** Writes docs/images/send.png: the record of a real send, as `postern admin send show` prints it. */
const recipients = ["delivered@sandbox.test", "bounced@sandbox.test"];
const maxWaitMs = 30_000;

const folder = aDevFolder();
const dev = startDev(folder);
try {
  await dev.shows("Ctrl-C stops everything");
  const environment = readEnvironment(join(folder, ".postern", "env"));
  const id = await sendAndWait(environment);
  const text = execFileSync(process.execPath, [posternPath, "admin", "send", "show", id], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, DATABASE_URL: environment.DATABASE_URL, NO_COLOR: "1" },
  });
  await photograph(terminalPage(`postern admin send show ${id}`, text), "docs/images/send.png");
} finally {
  dev.kill("SIGTERM");
  await dev.exited;
  rmSync(folder, { recursive: true, force: true });
}

function readEnvironment(file: string): Record<string, string> {
  const lines = readFileSync(file, "utf8").matchAll(/^export (\w+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

async function sendAndWait({ POSTERN_URL = "", POSTERN_API_KEY = "" }: Record<string, string>): Promise<string> {
  const headers = { "x-api-key": POSTERN_API_KEY, "content-type": "application/json" };
  const body = {
    from: "Acme <hello@sandbox.test>",
    to: recipients,
    subject: "Your receipt",
    text: "Thank you for your order.",
  };
  const response = await fetch(`${POSTERN_URL}/api/v1/send`, { method: "POST", headers, body: JSON.stringify(body) });
  const { id } = (await response.json()) as { id: string };
  for (const endsAt = performance.now() + maxWaitMs; performance.now() < endsAt; await sleep(200)) {
    const timeline = await (await fetch(`${POSTERN_URL}/api/v1/send/${id}/timeline`, { headers })).text();
    if (["Bounce", "Delivery"].every((type) => timeline.includes(`"${type}"`))) return id;
  }
  throw new Error(`send ${id} did not bounce and arrive within ${maxWaitMs / 1000} s`);
}

async function photograph(html: string, file: string): Promise<void> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ deviceScaleFactor: 2, viewport: { width: 1100, height: 700 } });
    await page.setContent(html);
    await page.locator("main").screenshot({ path: file, omitBackground: true });
    console.log(`✓ ${file}`);
  } finally {
    await browser.close();
  }
}
