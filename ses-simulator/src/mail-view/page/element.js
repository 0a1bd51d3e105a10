/**
 * Makes an element. Text is always set as text: nothing a mail says can become markup of this page.
 * @param {string} tag
 * @param {Record<string, string | boolean | ((event: Event) => void)>} attributes
 * @param {...(Node | string | undefined)} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}`);
  return found;
}
