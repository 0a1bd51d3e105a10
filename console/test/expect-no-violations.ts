import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** axe finds nothing on the page as it is now, in light and in dark. The page keeps the scheme of the last one. */
export async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // Legacy mode leaves out frames of other origins, of which the console has none, and the extra page that collects them.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    // The schemes differ in their colours only.
    const { violations } = await (colorScheme === "dark" ? axe.withRules(["color-contrast"]) : axe).analyze();
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = "" }) => `${id} (${help}): ${target.join(" ")}\n${failureSummary}`),
    );
    expect(found, `${colorScheme}, ${page.url()}`).toEqual([]);
  }
}
