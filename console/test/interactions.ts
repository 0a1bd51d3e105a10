import type { Page } from "playwright-core";

export interface Interactions {
  /** What the person did, oldest first, such as "click Button: Add domain". */
  list(): Promise<string[]>;
  count(): Promise<number>;
}

/**
 * Counts what a person does on a page: each click, each key outside a field, each key that is not text (Enter, Tab, arrows, shortcuts),
 * each paste, and each field that the person types into, however long the text is. Moving the pointer and scrolling do not count.
 */
export async function interactions(page: Page): Promise<Interactions> {
  const done: string[] = [];
  await page.exposeBinding("reportInteraction", (_source, text: string) => void done.push(text));
  await page.addInitScript(listener);
  await page.evaluate(listener);
  const list = async () => {
    // Reports arrive in order, so this answer comes after all of them.
    await page.evaluate("0");
    return done;
  };
  return { list, count: async () => (await list()).length };
}

const listener = `(() => {
  if (globalThis.isCountingInteractions) return;
  globalThis.isCountingInteractions = true;
  let field;
  const nameOf = (target) => target.tagName + ": " + (target.getAttribute("aria-label") || target.name || target.textContent || "").slice(0, 40);
  const isField = (target) => target.isContentEditable || target.matches("textarea, input:not([type=checkbox], [type=radio], [type=button])");
  const report = (what, target) => void reportInteraction(what + " " + nameOf(target));
  const on = (type, handle) => addEventListener(type, (event) => event.isTrusted && handle(event), { capture: true });
  on("click", (event) => {
    // A key that activates a button causes a click with detail 0, and the key counts already.
    if (event.detail === 0) return;
    field = undefined;
    report("click", event.target);
  });
  on("keydown", (event) => {
    if (event.repeat || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (isShortcut && event.key.toLowerCase() === "v") return;
    const isText = !isShortcut && (event.key.length === 1 || event.key === "Backspace" || event.key === "Delete");
    if (isText && isField(event.target)) return;
    report("press " + event.key, event.target);
  });
  on("input", (event) => {
    if (!isField(event.target)) return;
    if (event.inputType === "insertFromPaste") {
      field = undefined;
      return report("paste", event.target);
    }
    if (field === event.target) return;
    field = event.target;
    report("type", event.target);
  });
})()`;
