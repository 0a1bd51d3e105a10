import { expect, test } from "vitest";
import { parseJsonBody } from "./json-body.ts";

/** Fills a body of the maximum size with copies of one value. */
function bodyFullOf(start: string, value: string, end: string): Buffer {
  const values = value.repeat(Math.floor((8 * 1024 * 1024 - 100) / value.length));
  return Buffer.from(`${start}${values}${end}`);
}

test.each([
  ["numbers", bodyFullOf('{"x":[', "0,", "0]}")],
  ["objects", bodyFullOf('{"x":[', "{},", "{}]}")],
  ["fields", bodyFullOf('{"x":0', ',"y":0', "}")],
])("a body with millions of %s is refused before it is parsed", (_what, body) => {
  const started = performance.now();
  expect(() => parseJsonBody(body)).toThrow("too many values");
  // Parsing and traversing such a body took seconds and blocked all other requests.
  expect(performance.now() - started).toBeLessThan(1_000);
});

test("commas, brackets and escaped quotes inside a string do not count as values", () => {
  const text = '{[,"\\'.repeat(20_000);
  expect(parseJsonBody(Buffer.from(JSON.stringify({ text, after: [1] })))).toEqual({ text, after: [1] });
});

test("a body nested too deeply is refused", () => {
  const body = Buffer.from(`{"y":"\\u0000","x":${"[".repeat(1000)}${"]".repeat(1000)}}`);
  expect(() => parseJsonBody(body)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
});

test("a string that PostgreSQL cannot store is refused at any depth", () => {
  for (const body of ['{"a":["\\u0000"]}', '{"a":{"b":"\\ud800"}}', '{"\\u0000":1}', '{"__proto__":1}']) {
    expect(() => parseJsonBody(Buffer.from(body))).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  }
  expect(parseJsonBody(Buffer.from('{"a":"\\ud83d\\ude00"}'))).toEqual({ a: "😀" });
});
