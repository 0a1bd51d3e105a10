import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test("equal values have the same text, whatever the order of their keys", () => {
  const one = { b: 1, a: { d: [1, { f: null, e: "é" }], c: true } };
  const other = { a: { c: true, d: [1, { e: "é", f: null }] }, b: 1 };
  expect(canonicalJson(one)).toBe(canonicalJson(other));
  expect(canonicalJson(one)).toBe('{"a":{"c":true,"d":[1,{"e":"é","f":null}]},"b":1}');
  expect(JSON.parse(canonicalJson(one))).toEqual(one);
});

test("the order of a list matters", () => {
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});
