/** The ASN.1 types of an X.509 certificate, in DER. */
export function sequence(...items: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(items));
}

export function setOf(...items: Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(items));
}

/** A positive integer. A leading zero byte keeps the highest bit from marking it as negative. */
export function integer(bytes: Buffer): Buffer {
  return tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function nullValue(): Buffer {
  return tagged(0x05, Buffer.alloc(0));
}

export function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text));
}

export function bitString(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.of(0), bytes]));
}

export function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

export function explicit(number: number, content: Buffer): Buffer {
  return tagged(0xa0 + number, content);
}

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xffff ? 6 : length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.of(0x80 + bytes.length), bytes]);
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}
