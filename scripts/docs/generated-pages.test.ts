import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadPages, root } from "./pages.ts";

const pages = await loadPages();
/** The page of evidence loads every proof. */
const maxRenderMs = 180_000;

test.for(pages)("$path is current", { timeout: maxRenderMs }, async (page) => {
  const file = new URL(page.path, root);
  const committed = existsSync(file) ? readFileSync(file, "utf8") : "";
  expect(committed, `${page.path} is stale: run \`npm run docs\``).toBe(await page.render());
});
