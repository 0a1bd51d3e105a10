/**
 * Arrays in PostgreSQL's binary format. `pg` encodes them as text. Measured on the accept statement: 5,775 requests a
 * second with binary arrays, 3,659 with text arrays.
 */
const oids = { bool: 16, bytea: 17, int2: 21, int4: 23, text: 25, uuid: 2950 };

export function textArray(values: (string | null)[]): Buffer {
  return arrayOf(oids.text, values, {
    sizeOf: (value) => Buffer.byteLength(value),
    write: (bytes, value, at) => bytes.write(value, at),
  });
}

const uuidBytes = 16;

export function uuidArray(values: (string | null)[]): Buffer {
  return arrayOf(oids.uuid, values, {
    sizeOf: () => uuidBytes,
    write: writeUuid,
  });
}

/** The value of each hexadecimal digit, by its character code. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

/** A send has four ids. Buffer.write without the hyphens takes 0.4 microseconds for each, this takes 0.1. */
function writeUuid(bytes: Buffer, value: string, at: number): void {
  let position = 0;
  for (let index = at; index < at + uuidBytes; index++) {
    if (value[position] === "-") position += 1;
    const [high = 0, low = 0] = [digits[value.charCodeAt(position)], digits[value.charCodeAt(position + 1)]];
    bytes[index] = (high << 4) | low;
    position += 2;
  }
}

export function byteaArray(values: (Buffer | null)[]): Buffer {
  return arrayOf(oids.bytea, values, rawBytes);
}

/** For values of 16 bytes in a column of type uuid. */
export function uuidBytesArray(values: (Buffer | null)[]): Buffer {
  return arrayOf(oids.uuid, values, rawBytes);
}

const rawBytes = {
  sizeOf: (value: Buffer) => value.length,
  write: (bytes: Buffer, value: Buffer, at: number) => value.copy(bytes, at),
};

export function booleanArray(values: (boolean | null)[]): Buffer {
  return arrayOf(oids.bool, values, {
    sizeOf: () => 1,
    write: (bytes, value, at) => bytes.writeUInt8(value ? 1 : 0, at),
  });
}

export function smallintArray(values: (number | null)[]): Buffer {
  return arrayOf(oids.int2, values, {
    sizeOf: () => 2,
    write: (bytes, value, at) => bytes.writeInt16BE(value, at),
  });
}

export function integerArray(values: (number | null)[]): Buffer {
  return arrayOf(oids.int4, values, {
    sizeOf: () => 4,
    write: (bytes, value, at) => bytes.writeInt32BE(value, at),
  });
}

/**
 * For a column of `unnest` beside one that has a value in every row: without an array PostgreSQL fills the column with null. Most sends have
 * no tags, no metadata, no attachments and so on, and neither side then reads an array of nulls.
 */
export function nothingIfAllNull<Value>(
  encode: (values: (Value | null)[]) => Buffer,
  values: (Value | null)[],
): Buffer | null {
  return values.every((value) => value === null) ? null : encode(values);
}

interface Encoding<Value> {
  sizeOf: (value: Value) => number;
  write: (bytes: Buffer, value: Value, at: number) => void;
}

/** Header: dimensions, has nulls, element type, length, lower bound. Then each element with its length, -1 for null. */
function arrayOf<Value>(oid: number, values: (Value | null)[], { sizeOf, write }: Encoding<Value>): Buffer {
  const sizes = values.map((value) => (value === null ? -1 : sizeOf(value)));
  const bytes = Buffer.allocUnsafe(20 + sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), 0));
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = 20;
  for (const [position, size] of sizes.entries()) {
    bytes.writeInt32BE(size, at);
    at += 4;
    const value = values[position];
    if (value === null || value === undefined) continue;
    write(bytes, value, at);
    at += size;
  }
  return bytes;
}
