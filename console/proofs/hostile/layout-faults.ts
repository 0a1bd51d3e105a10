import type { Page } from "playwright-core";

/**
 * Elements that a text has pushed out of the window or out of their panel. An element inside of one that clips or scrolls cannot be seen
 * outside of it.
 */
export async function findLayoutFaults(page: Page): Promise<string[]> {
  return (await page.evaluate(script)) as string[];
}

const script = `(() => {
  const faults = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push("the page scrolls sideways");
  const name = (element) => element.tagName.toLowerCase() + "." + String(element.className?.baseVal ?? element.className).slice(0, 60);
  const clips = (element) => {
    const { overflowX, position } = getComputedStyle(element);
    return overflowX !== "visible" || position === "fixed";
  };
  const isClipped = (element, limit) => {
    for (let each = element.parentElement; each && each !== limit; each = each.parentElement) if (clips(each)) return true;
    return false;
  };
  const isHidden = (element) => !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const check = (limit, left, right, what) => {
    for (const element of limit.querySelectorAll("*")) {
      const box = element.getBoundingClientRect();
      if (box.width < 2 || box.height < 2 || isHidden(element) || box.right <= 0 || box.bottom <= 0) continue;
      // A text can leave a box that has the right width.
      const end = clips(element) || element instanceof SVGElement ? box.right : Math.max(box.right, box.left + element.scrollWidth);
      if (box.left >= left - 1.5 && end <= right + 1.5) continue;
      if (isClipped(element, limit)) continue;
      faults.push(name(element) + " leaves " + what + ": " + [box.left, end, left, right].map(Math.round).join(" "));
      return;
    }
  };
  check(document.body, 0, width, "the window");
  for (const panel of document.querySelectorAll("main section, [role=dialog]")) {
    const box = panel.getBoundingClientRect();
    if (box.width > 0) check(panel, box.left, box.right, "its panel " + name(panel));
  }
  return faults;
})()`;
