import { expect, test } from "vitest";
import { parseJsonBody } from "./json-body.ts";

/** The largest body there is, full of values. */
function crowded(start: string, part: string, end: string): Buffer {
  const parts = part.repeat(Math.floor((8 * 1024 * 1024 - 100) / part.length));
  return Buffer.from(`${start}${parts}${end}`);
}

test.each([
  ["numbers", crowded('{"x":[', "0,", "0]}")],
  ["objects", crowded('{"x":[', "{},", "{}]}")],
  ["fields", crowded('{"x":0', ',"y":0', "}")],
])("a body with millions of %s is refused before it is parsed", (_what, body) => {
  const started = performance.now();
  expect(() => parseJsonBody(body)).toThrow("too many values");
  // Parsing and walking through all of it took seconds, for everyone in the process.
  expect(performance.now() - started).toBeLessThan(1_000);
});

test("commas and brackets inside a text are part of the text, whatever is escaped before its end", () => {
  const text = '{[,"\\'.repeat(20_000);
  expect(parseJsonBody(Buffer.from(JSON.stringify({ text, after: [1] })))).toEqual({ text, after: [1] });
});

test("endless nesting is refused", () => {
  const body = Buffer.from(`{"y":"\\u0000","x":${"[".repeat(1000)}${"]".repeat(1000)}}`);
  expect(() => parseJsonBody(body)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
});

test("what cannot be stored is found wherever it stands", () => {
  for (const body of ['{"a":["\\u0000"]}', '{"a":{"b":"\\ud800"}}', '{"\\u0000":1}', '{"__proto__":1}']) {
    expect(() => parseJsonBody(Buffer.from(body))).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  }
  expect(parseJsonBody(Buffer.from('{"a":"\\ud83d\\ude00"}'))).toEqual({ a: "😀" });
});
