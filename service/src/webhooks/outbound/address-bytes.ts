import { isIPv4, isIPv6 } from "node:net";

/** Addresses whose first `bits` bits are those of `bytes`. */
export interface Network {
  bytes: Uint8Array;
  bits: number;
}

/** The 4 or 16 bytes of an address. Undefined for other text, and for an address with a zone id, which is never public. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split("."), Number);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const [front = "", back = ""] = withHexTail(text).split("::");
  const [first, last] = [groupsOf(front), groupsOf(back)];
  const omitted = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return Uint8Array.from([...first, ...omitted, ...last].flatMap((group) => [group >> 8, group & 0xff]));
}

/** Undefined unless the text is an address or a CIDR without bits to the right of its prefix, as PostgreSQL demands of a `cidr`. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bytes = addressBytes(address);
  if (bytes === undefined) return undefined;
  const bits = length === undefined ? bytes.length * 8 : Number(length);
  if (bits > bytes.length * 8) return undefined;
  const hasBitsBehind = bytes.some((byte, index) => (byte & ~maskOf(bits, index)) !== 0);
  return hasBitsBehind ? undefined : { bytes, bits };
}

/** An IPv4 address is in no IPv6 network, also not when that network contains its mapped form. */
export function isInNetwork(address: Uint8Array, { bytes, bits }: Network): boolean {
  if (address.length !== bytes.length) return false;
  return address.every((byte, index) => (byte & maskOf(bits, index)) === bytes[index]);
}

/** The bits of the byte at `index` that belong to a prefix of this length. */
function maskOf(bits: number, index: number): number {
  const own = Math.min(8, Math.max(0, bits - index * 8));
  return (0xff << (8 - own)) & 0xff;
}

/** `::ffff:1.2.3.4` → `::ffff:102:304` */
function withHexTail(text: string): string {
  const tail = /[^:]+\.[^:]+$/.exec(text)?.[0];
  if (tail === undefined) return text;
  const [a = 0, b = 0, c = 0, d = 0] = tail.split(".").map(Number);
  return `${text.slice(0, -tail.length)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
