import { expect, test } from "vitest";
import { parseJsonBody } from "./json-body.ts";

/** The largest body there is, full of values, with an escape that makes all of them be looked at. */
function crowded(start: string, part: string, end: string): Buffer {
  const parts = part.repeat(Math.floor((8 * 1024 * 1024 - 100) / part.length));
  return Buffer.from(`${start}${parts}${end}`);
}

test.each([
  ["numbers", crowded('{"y":"\\u0000","x":[', "0,", "0]}")],
  ["objects", crowded('{"y":"\\u0000","x":[', "{},", "{}]}")],
  ["lists in lists", Buffer.from(`{"y":"\\u0000","x":${"[".repeat(1000)}${"]".repeat(1000)}}`)],
])("a body with millions of %s is refused without being walked through", (_what, body) => {
  const started = performance.now();
  expect(() => parseJsonBody(body)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  // JSON.parse itself takes most of it; walking through all values took seconds.
  expect(performance.now() - started).toBeLessThan(1_500);
});

test("what cannot be stored is found wherever it stands", () => {
  for (const body of ['{"a":["\\u0000"]}', '{"a":{"b":"\\ud800"}}', '{"\\u0000":1}', '{"__proto__":1}']) {
    expect(() => parseJsonBody(Buffer.from(body))).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  }
  expect(parseJsonBody(Buffer.from('{"a":"\\ud83d\\ude00"}'))).toEqual({ a: "😀" });
});
