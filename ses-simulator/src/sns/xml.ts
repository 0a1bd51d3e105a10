export type Xml = { [name: string]: string | Xml | Xml[] };

/** A list becomes one element per item. */
export function toXml(content: Xml): string {
  return Object.entries(content)
    .map(([name, value]) => element(name, value))
    .join("");
}

/** A map in the format of the query protocol. */
export function entries(map: Record<string, string>): Xml {
  return { entry: Object.entries(map).map(([key, value]) => ({ key, value })) };
}

function element(name: string, value: string | Xml | Xml[]): string {
  if (Array.isArray(value)) return value.map((item) => element(name, item)).join("");
  return `<${name}>${typeof value === "string" ? escapeXml(value) : toXml(value)}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
