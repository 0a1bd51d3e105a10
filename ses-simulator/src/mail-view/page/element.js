/**
 * Creates an element. It always sets text as text, so the content of a mail cannot become markup of this page.
 * @param {string} tag
 * @param {Record<string, string | boolean | ((event: Event) => void)>} attributes
 * @param {...(Node | string | undefined)} children
 */
export function element(tag, attributes = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") created.addEventListener(name.slice(2), value);
    else if (value !== false) created.setAttribute(name, value === true ? "" : value);
  }
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}`);
  return found;
}
