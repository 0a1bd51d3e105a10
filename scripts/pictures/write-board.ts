import { chromium } from "playwright-core";
import { boardPage } from "./board-page.ts";

/** Writes a picture of the board: node scripts/pictures/write-board.ts PROMETHEUS_URL MINUTES FILE */
const [prometheusUrl = "http://127.0.0.1:9090", minutes = "30", file = "docs/images/board.png"] = process.argv.slice(2);
const html = await boardPage(prometheusUrl, Number(minutes));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.setContent(html);
  await page.screenshot({ path: file, fullPage: true });
  console.log(`✓ ${file}`);
} finally {
  await browser.close();
}
