/** A record to publish, as the API lists it: names without a dot at the end, an MX value as "10 server". */
export interface PublishedRecord {
  type: "TXT" | "CNAME" | "MX";
  name: string;
  value: string;
}

/** RFC 1035: a TXT record is a list of strings of at most 255 bytes each, which readers join. */
const maxStringBytes = 255;

/** Never cuts inside a character. */
export function textStrings(value: string): string[] {
  const strings: string[] = [];
  let [current, bytes] = ["", 0];
  for (const character of value) {
    const size = new TextEncoder().encode(character).length;
    if (bytes + size > maxStringBytes) {
      strings.push(current);
      [current, bytes] = ["", 0];
    }
    current += character;
    bytes += size;
  }
  return [...strings, current];
}

/** A name that no DNS software completes with the zone. */
export function absoluteName(name: string): string {
  return `${name.replace(/\.+$/, "")}.`;
}

/** The value of a CNAME or MX record with the dot at the end of its host name. */
export function absoluteTarget({ type, value }: PublishedRecord): string {
  if (type !== "MX") return absoluteName(value);
  const [preference = "10", host = ""] = value.trim().split(/\s+/);
  return `${preference} ${absoluteName(host)}`;
}

/** RFC 1035, 5.1: a quoted string escapes quotation marks and backslashes, and writes other bytes as three decimal digits. */
export function quotedString(text: string): string {
  const escaped = [...new TextEncoder().encode(text)].map((byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte < 0x20 || byte > 0x7e ? `\\${String(byte).padStart(3, "0")}` : String.fromCharCode(byte);
  });
  return `"${escaped.join("")}"`;
}
