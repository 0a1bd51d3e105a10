import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { startConsoleCell } from "../test/console-cell.ts";
import { type ConsoleSession, openConsole } from "../test/console-session.ts";
import { type PicturedData, seedFernhillBooks } from "./fernhill-books.ts";
import { logInAsOperator } from "./other-tenants.ts";
import { type Screen, screens, type Variant } from "./screens.ts";

/** Writes docs/images/console/: every screen of a running console. Arguments select screens by name, such as `overview send`. */
const folder = join(import.meta.dirname, "../../docs/images/console");
const maxQuietMs = 5_000;

const wanted = process.argv.slice(2);
const chosen = screens.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
mkdirSync(folder, { recursive: true });
const { cell, stop } = await startConsoleCell();
try {
  const session = await openConsole(cell);
  try {
    console.log("→ seeding the account Fernhill Books");
    const data = await seedFernhillBooks(session);
    for (const screen of chosen)
      for (const variant of screen.variants) await makePicture(session, data, screen, variant);
  } finally {
    await session.close();
  }
} finally {
  await stop();
}

async function makePicture(session: ConsoleSession, data: PicturedData, screen: Screen, variant: Variant) {
  const file = join(folder, `${screen.name}-${variant.scheme}-${variant.width}.png`);
  const path = typeof screen.path === "string" ? screen.path : screen.path(data);
  const person = screen.as(data);
  const open = () => session.newPage({ ...variant, ...(person !== undefined && { as: person }) });
  const page = person === data.olga ? await logInAsOperator(session, person, open) : await open();
  try {
    await screen.before?.(page);
    const answer = await page.goto(path);
    if (answer?.ok() === false) throw new Error(`${path} answered ${answer.status()}`);
    await settle(page);
    await screen.after?.(page);
    await settle(page);
    await page.screenshot({ path: file, animations: "disabled", caret: "hide" });
    console.log(`✓ ${relative(process.cwd(), file)}`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`✗ ${relative(process.cwd(), file)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const problems = await session.closePages();
  if (problems.length > 0) console.error(`  ${problems.join("\n  ")}`);
}

/** A page that polls never becomes idle, so that wait has an end. On a busy machine a page can be idle before its content has come. */
async function settle(page: Page): Promise<void> {
  await Promise.race([page.waitForLoadState("networkidle"), sleep(maxQuietMs)]);
  await page.locator('[class*="_bone_"]').first().waitFor({ state: "detached" });
  await Promise.all(page.frames().map((frame) => frame.waitForLoadState("load")));
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
