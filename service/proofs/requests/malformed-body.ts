import fc from "fast-check";
import { anyValue, type Credentials, fieldName } from "./malformed-values.ts";

const { array, constantFrom, integer, oneof, option, tuple, uint8Array } = fc;

/** Bodies that are almost valid, then damaged in a field, in the JSON text or in the bytes. */
export function body(credentials: Credentials): fc.Arbitrary<Buffer> {
  const valid = constantFrom<Record<string, unknown>>(
    { name: "a key", type: "live" },
    { name: "a key", type: "test", expires_at: "2099-01-01T00:00:00Z" },
    { email: "someone@example.com", password: "wrong" },
    { refresh_token: credentials.refreshToken },
    { domain_name: "sandbox.test" },
    { from: "a@shop.io", to: ["jane@example.com"], subject: "Hello", text: "Hi", idempotency_key: "k" },
  );
  const changed = tuple(valid, array(tuple(fieldName, anyValue), { maxLength: 3 }), option(fieldName)).map(
    ([fields, additions, dropped]) => {
      const result: Record<string, unknown> = Object.fromEntries([...Object.entries(fields), ...additions]);
      if (dropped !== null) delete result[dropped];
      return JSON.stringify(result);
    },
  );
  const texts = oneof(
    { weight: 10, arbitrary: changed },
    { weight: 3, arbitrary: anyValue.map((value) => JSON.stringify(value) ?? "") },
    { weight: 1, arbitrary: integer({ min: 1, max: 30_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)) },
    { weight: 1, arbitrary: integer({ min: 1, max: 8000 }).map((depth) => '{"a":'.repeat(depth)) },
    {
      weight: 1,
      arbitrary: integer({ min: 60_000, max: 90_000 }).map((size) => JSON.stringify({ name: "n".repeat(size) })),
    },
    {
      weight: 1,
      arbitrary: constantFrom('{"name":1e999}', '{"a":1,"a":2}', "{'name':1}", '"\\ud800"', "\ufeff{}", "{}{}"),
    },
    {
      weight: 1,
      arbitrary: tuple(fieldName, anyValue, anyValue).map(
        ([name, one, other]) =>
          `{${[one, other].map((value) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
      ),
    },
    {
      weight: 1,
      arbitrary: tuple(fieldName, integer({ min: 1, max: 40 })).map(
        ([name, depth]) => `{"to":${`{${JSON.stringify(name)}:`.repeat(depth)}1${"}".repeat(depth)}}`,
      ),
    },
  );
  const bytes = texts.map((text) => Buffer.from(text));
  return oneof(
    { weight: 12, arbitrary: bytes },
    {
      weight: 3,
      arbitrary: tuple(bytes, integer({ min: 0 }), integer({ min: 0, max: 255 })).map(([...parts]) =>
        withOneByte(...parts),
      ),
    },
    {
      weight: 2,
      arbitrary: tuple(bytes, integer({ min: 0 })).map(([whole, at]) => whole.subarray(0, at % (whole.length + 1))),
    },
    { weight: 1, arbitrary: uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)) },
  );
}

function withOneByte(whole: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(whole);
  if (changed.length > 0) changed[at % changed.length] = value;
  return changed;
}
