import { element } from "./element.js";

/**
 * Tabs that follow the ARIA practices: arrow keys select a tab, and the list has one tab stop. Tabs without content are
 * omitted.
 * @param {[label: string, content: Node | undefined][]} entries
 */
export function tabs(entries) {
  const filled = entries.filter(([, content]) => content !== undefined);
  const panel = element("div", { role: "tabpanel", id: "panel", tabindex: "0" });
  const buttons = filled.map(([label], index) =>
    element(
      "button",
      { type: "button", role: "tab", id: `tab-${index}`, "aria-controls": "panel", onclick: () => select(index) },
      label,
    ),
  );

  function select(index) {
    buttons.forEach((button, position) => {
      button.setAttribute("aria-selected", String(position === index));
      button.tabIndex = position === index ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `tab-${index}`);
    panel.replaceChildren(filled[index][1]);
  }

  function move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
    select(next);
    buttons[next].focus();
  }

  select(0);
  const list = element("div", { role: "tablist", "aria-label": "Formats of the mail", onkeydown: move }, ...buttons);
  return element("div", { class: "body" }, list, panel);
}
