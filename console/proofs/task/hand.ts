import { setTimeout as sleep } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { type Interactions, interactions } from "../../test/interactions.ts";

/**
 * How long a person takes, by the keystroke-level model (Card, Moran and Newell, 1980): 0.2 s for a key of a skilled typist, 1.1 s to point
 * at something and 0.1 s for the button of the mouse. Reading and deciding are not part of it.
 */
const keyMs = 200;
const pointMs = 1_100;
const buttonMs = 100;

/** What a person can do on a page, at the speed of a person. Every action is counted by the page itself. */
export interface Hand {
  page: Page;
  click(target: Locator): Promise<void>;
  press(key: string): Promise<void>;
  /** Into the field that has the focus; fails when none has it. */
  type(text: string): Promise<void>;
  paste(text: string): Promise<void>;
  /** Waits until the person sees it, without scrolling sideways. */
  sees(target: Locator): Promise<void>;
  /** Time that passes in `wait` does not count. */
  outsideClock(wait: () => Promise<void>): Promise<void>;
  result(): Promise<HandResult>;
}

export interface HandResult {
  interactions: string[];
  seconds: number;
}

/** The clock starts now. The page is open and shows where the person begins. */
export async function startHand(page: Page): Promise<Hand> {
  const counted: Interactions = await interactions(page);
  const startedAt = performance.now();
  let excludedMs = 0;
  return {
    page,
    async click(target) {
      await target.waitFor();
      await sleep(pointMs);
      // `delay` is the time between pressing and releasing the button.
      await target.click({ delay: buttonMs });
    },
    async press(key) {
      await sleep(keyMs);
      await page.keyboard.press(key);
    },
    async type(text) {
      await requireFocusedField(page);
      await page.keyboard.type(text, { delay: keyMs });
    },
    async paste(text) {
      await requireFocusedField(page);
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
      await sleep(keyMs);
      await page.keyboard.press("Control+V");
    },
    sees: (target) => target.waitFor(),
    async outsideClock(wait) {
      const from = performance.now();
      await wait();
      excludedMs += performance.now() - from;
    },
    async result() {
      const seconds = (performance.now() - startedAt - excludedMs) / 1_000;
      return { interactions: await counted.list(), seconds };
    },
  };
}

/** A dialog moves the focus a moment after it opens. */
async function requireFocusedField(page: Page): Promise<void> {
  const isField = () => document.activeElement?.matches("input, textarea") === true;
  await page.waitForFunction(isField, undefined, { timeout: 20_000 });
}
