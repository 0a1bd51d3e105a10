import type { ConsoleSession } from "../../test/console-session.ts";
import type { Person } from "../../test/person.ts";

export interface FirstScreen {
  /** From the start of the navigation until the figures of the overview are visible. */
  ms: number;
  scriptBytes: number;
  /** What the resources have besides scripts, as sent: styles, fonts, answers of the API. */
  otherBytes: number;
}

/** Stores the moment when the first figure is a number, and what was loaded until then. */
const observer = `(() => {
  const look = () => {
    const figure = document.querySelector('[title^="Recipients of accepted mail"]');
    if (!figure || !/\\d/.test(figure.textContent)) return requestAnimationFrame(look);
    globalThis.figuresVisible = performance.now();
  };
  requestAnimationFrame(look);
})()`;

const maxWaitMs = 120_000;

/** Opens the overview with an empty cache, in a context of its own. */
export async function openFirstScreen(
  session: ConsoleSession,
  person: Person,
  cpuSlowdown: number,
): Promise<FirstScreen> {
  const page = await session.newPage({ as: person });
  page.setDefaultTimeout(maxWaitMs);
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
  await page.addInitScript(observer);
  await page.goto("/", { timeout: maxWaitMs });
  await page.waitForFunction(() => "figuresVisible" in globalThis);
  const measured = (await page.evaluate(`(() => {
    const loaded = performance.getEntriesByType("resource").filter(({ startTime }) => startTime < figuresVisible);
    const bytes = (isScript) => loaded
      .filter(({ name }) => /\\.js$/.test(new URL(name).pathname) === isScript)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    return { ms: figuresVisible, scriptBytes: bytes(true), otherBytes: bytes(false) };
  })()`)) as FirstScreen;
  await page.context().close();
  return measured;
}
