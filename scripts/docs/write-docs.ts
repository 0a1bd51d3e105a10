import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadPages, root } from "./pages.ts";

/** Writes every generated page, and names those that changed. */
for (const page of await loadPages()) {
  const file = new URL(page.path, root);
  const text = await page.render();
  const isCurrent = existsSync(file) && readFileSync(file, "utf8") === text;
  mkdirSync(new URL("./", file), { recursive: true });
  if (!isCurrent) writeFileSync(file, text);
  console.log(`${isCurrent ? "unchanged" : "written  "} ${page.path}`);
}
